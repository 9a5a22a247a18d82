package doctor

import (
	"context"
	"fmt"

	"boo/orchestrator"
)

// store looks for damage in the store.
func store(ctx context.Context, p Patient, l *findings) {
	complaints, err := p.Rows.Check(ctx)
	if err != nil {
		l.unseen("store", "", err)
	}
	for _, what := range complaints {
		l.add(Finding{
			Check: "store", Level: Fault, What: what,
			Why: "what is in it may not be true any more; what agents wrote is also in each repository, below refs/boo/",
			Try: "boo daemon stop, then put back a copy of boo.db, or have sqlite3 boo.db .recover write a new one",
		})
	}
}

// interrupted looks for turns and processes whose boo has died.
func interrupted(ctx context.Context, p Patient, l *findings) {
	settle := func(subject, what string) {
		l.add(Finding{
			Check: "turns", Level: Warning, Subject: subject, What: what, Why: "its chat waits, and an agent may still be at work",
			Fix: "end what is left of it, and keep what it wrote, as the next command of boo does", mend: p.Settle,
		})
	}
	open, err := p.Rows.OpenTurns(ctx)
	if err != nil {
		l.unseen("turns", "", err)
	}
	for _, t := range open {
		if !p.Alive(t.Owner) {
			settle(string(t.Chat), fmt.Sprintf("turn %s was cut off", t.ID))
		}
	}
	processes, err := p.Rows.Processes(ctx)
	if err != nil {
		l.unseen("turns", "", err)
	}
	for _, proc := range processes {
		t, err := p.Rows.Turn(ctx, proc.Turn)
		if known := orchestrator.CodeOf(err) != orchestrator.CodeNotFound || err == nil; known && (err != nil || p.Alive(t.Owner)) {
			continue
		}
		if p.Alive(orchestrator.Owner{BootID: proc.BootID, PID: proc.PID, StartTime: proc.StartTime}) {
			settle(string(proc.Chat), fmt.Sprintf("process %d of %s has outlived the boo that started it", proc.PID, proc.Agent))
		}
	}
}
