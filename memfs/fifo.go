package memfs

import (
	"os"
	"sync"
	"syscall"

	"stagefs/locking"
)

const (
	fifoSize   = 64 << 10 // bytes that a fifo takes before a writer has to wait, as on Linux
	fifoAtomic = 4 << 10  // PIPE_BUF: a write of no more than this is stored in one piece
)

// fifo is the store of a fifo: a pipe between those who have it open. Its bytes are no contents of the file system: they
// are charged to nobody, and gone with the last who has it open.
type fifo struct {
	noBytes
	mu      sync.Mutex // a leaf; nothing is waited for under it
	queue   []byte
	readers int
	writers int
	opened  [2]uint64     // how often it was opened by readers and by writers: an open waits for the other's to move
	changed chan struct{} // closed when anything of this changes while somebody waits; nil: nobody does
}

func newFifo() *fifo { return &fifo{} }

// fifo returns the pipe of a fifo, nil if it is gone.
func (n *inode) fifo() *fifo {
	if c := n.data.Load(); c != nil {
		q, _ := c.store.(*fifo)
		return q
	}
	return nil
}

// fifoEnd is one File's end of a fifo.
type fifoEnd struct {
	q             *fifo
	reads, writes bool
	closing       chan struct{} // closed when the File is being closed
	once          sync.Once
}

func (q *fifo) lock() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	q.mu.Lock()
}

func (q *fifo) unlock() {
	q.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}

// wake lets those who wait look again. The fifo is locked.
func (q *fifo) wake() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}

// wait waits until something has changed, or the end is being closed, which it reports. The fifo is locked, but not
// while it waits.
func (q *fifo) wait(closing <-chan struct{}) (closed bool) {
	if q.changed == nil {
		q.changed = make(chan struct{})
	}
	changed := q.changed
	q.unlock()
	select {
	case <-changed:
	case <-closing:
		closed = true
	}
	q.lock()
	return closed
}

// open opens an end: for reading it waits for a writer, for writing for a reader. With O_NONBLOCK the first does not wait,
// and the second fails with ENXIO if there is none. For both it does not wait.
func (q *fifo) open(flags int) (*fifoEnd, errno) {
	end := &fifoEnd{q: q, closing: make(chan struct{})}
	switch flags & accessMode {
	case os.O_RDONLY:
		end.reads = true
	case os.O_WRONLY:
		end.writes = true
	case os.O_RDWR:
		end.reads, end.writes = true, true
	default:
		return nil, syscall.EINVAL
	}
	q.lock()
	defer q.unlock()
	if end.writes && !end.reads && q.readers == 0 && flags&flagNonBlock != 0 {
		return nil, syscall.ENXIO
	}
	q.count(end, 1)
	seen, others := q.opened, &q.writers
	other := 1
	if end.writes {
		others, other = &q.readers, 0
	}
	if end.reads && end.writes || flags&flagNonBlock != 0 {
		return end, ok
	}
	for *others == 0 && q.opened[other] == seen[other] {
		q.wait(nil)
	}
	return end, ok
}

// count enters an end, or takes it out.
func (q *fifo) count(end *fifoEnd, n int) {
	if end.reads {
		q.readers += n
		q.opened[0] += uint64(max(n, 0))
	}
	if end.writes {
		q.writers += n
		q.opened[1] += uint64(max(n, 0))
	}
	if q.readers+q.writers == 0 {
		q.queue = nil
	}
	q.wake()
}

// shut ends the calls that wait at this end, which is going to be closed.
func (end *fifoEnd) shut() { end.once.Do(func() { close(end.closing) }) }

// close takes the end out.
func (end *fifoEnd) close() {
	end.q.lock()
	end.q.count(end, -1)
	end.q.unlock()
}

// read takes up to len(p) > 0 bytes out, waiting until there are any; 0 says that there are no writers any more.
func (end *fifoEnd) read(p []byte) (int, error) {
	q := end.q
	q.lock()
	defer q.unlock()
	for len(q.queue) == 0 {
		if q.writers == 0 {
			return 0, nil
		}
		if q.wait(end.closing) {
			return 0, os.ErrClosed
		}
	}
	n := copy(p, q.queue)
	q.queue = q.queue[n:]
	q.wake()
	return n, nil
}

// write puts all of p in, waiting for room; EPIPE if there are no readers any more.
func (end *fifoEnd) write(p []byte) (written int, err error) {
	q := end.q
	q.lock()
	defer q.unlock()
	for len(p) > 0 {
		if q.readers == 0 {
			return written, syscall.EPIPE
		}
		room := fifoSize - len(q.queue)
		if room == 0 || room < len(p) && len(p) <= fifoAtomic && written == 0 {
			if q.wait(end.closing) {
				return written, os.ErrClosed
			}
			continue
		}
		n := min(room, len(p))
		q.queue = append(q.queue, p[:n]...)
		p, written = p[n:], written+n
		q.wake()
	}
	return written, nil
}

// readFifo and writeFifo are Read and Write of a File on a fifo.
func (f *File) readFifo(p []byte) (int, error) {
	n, err := f.pipe.read(p)
	if n > 0 {
		f.accessed()
	}
	return n, err
}

func (f *File) writeFifo(p []byte) (int, error) {
	now := f.fs.sb.now()
	n, err := f.pipe.write(p)
	if n > 0 {
		f.n.lock()
		now = f.fs.sb.stamp(now)
		f.n.mtime.Store(now)
		f.n.ctime.Store(now)
		f.n.unlock()
	}
	return n, err
}
