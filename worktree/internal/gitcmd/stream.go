package gitcmd

// Read reads what the command writes after the line that [Pipe.Ask] returned.
func (p *Pipe) Read(b []byte) (int, error) {
	return p.out.Read(b)
}

// Write writes to the command's standard input. It may be called by another
// goroutine than the one that reads.
func (p *Pipe) Write(b []byte) (int, error) { return p.in.Write(b) }

// Unblock keeps the command from waiting for ever at a named pipe of an agent's while
// it is written to and read from. The function that is returned ends that, and has to
// be called.
func (p *Pipe) Unblock() (end func()) { return unblock(p.call) }
