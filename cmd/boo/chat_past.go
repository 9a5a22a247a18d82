package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
)

// past is the log of a chat, for the commands that print it.
type past struct {
	e       *env
	svc     orchestrator.Service
	chat    orchestrator.ChatDetail
	cleared bool // what was in it before it was cleared
}

func clearedFlag() cli.Flag {
	return toggle("cleared", "what was in the log before boo chat reset --clear-log")
}

// openPast finds a chat's log. open is for the service that has it.
func openPast(ctx context.Context, e *env, open func(context.Context) (orchestrator.Service, error), ref orchestrator.ChatRef, cleared bool) (past, error) {
	svc, err := open(ctx)
	if err != nil {
		return past{}, err
	}
	chat, err := svc.Chat(ctx, ref)
	return past{e: e, svc: svc, chat: chat, cleared: cleared}, err
}

// page lists events after a number, and no more than so many.
func (p past) page(ctx context.Context, after orchestrator.Seq, limit int) ([]orchestrator.Event, error) {
	// By its id: another chat may be used while this one is read.
	ref := orchestrator.ChatRef{Dir: p.e.Dir, Prefix: string(p.chat.ID)}
	if p.cleared {
		return p.svc.ClearedLog(ctx, ref, after, limit)
	}
	return p.svc.Log(ctx, ref, after, limit)
}

const logPage = 1000

// print shows what is stored, only the newest so many unless count is 0, and
// returns the number of the last event.
func (p past) print(ctx context.Context, count int, filter logFilter, show func(orchestrator.Event)) (orchestrator.Seq, error) {
	var newest []orchestrator.Event
	after, found := filter.after, false
	for !p.e.gone() {
		page, err := p.page(ctx, after, logPage)
		if err != nil {
			return after, err
		}
		for _, ev := range page {
			after, found = ev.Seq, true
			if !filter.takes(ev) {
				continue
			}
			if count == 0 {
				show(ev)
				continue
			}
			if newest = append(newest, ev); len(newest) > 2*count {
				newest = append([]orchestrator.Event(nil), newest[len(newest)-count:]...)
			}
		}
		if len(page) < logPage {
			break
		}
	}
	for _, ev := range newest[max(0, len(newest)-count):] {
		show(ev)
	}
	if !found {
		p.tellEmpty()
	}
	return after, nil
}

// tellEmpty says where the events of an empty log are.
func (p past) tellEmpty() {
	switch {
	case p.e.JSON:
	case p.cleared && p.chat.LogAfter == 0:
		p.e.Stderr.Println(tty.Plain("the log of chat " + string(p.chat.ID) + " was never cleared"))
	case !p.cleared && p.chat.LogAfter > 0:
		p.e.Stderr.Println(tty.Plain("nothing since the log was cleared; what was in it: boo chat log --cleared " + string(p.chat.ID)))
	}
}
