package orchestrator_test

import (
	"context"
	"errors"
	"testing"

	"boo/orchestrator"
)

var errEnough = errors.New("enough")

// hear follows a chat until so many turns have ended.
func hear(ctx context.Context, svc orchestrator.Service, chat orchestrator.ChatID, after orchestrator.Seq, turns int) ([]orchestrator.Event, error) {
	var events []orchestrator.Event
	err := svc.FollowChat(ctx, chat, after, func(ev orchestrator.Event) error {
		events = append(events, ev)
		if ev.Kind == orchestrator.EventTurn && ev.State.Terminal() {
			turns--
		}
		if turns == 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return events, err
}

func TestAFollowerOfAChatHearsAllTurnsInOrder(t *testing.T) {
	w := newWorld(t)
	first := w.send("one", "say before")
	w.follow(first.Turn, nil)
	heard := make(chan []orchestrator.Event, 1)
	go func() { // ends with the second turn, which is waited for below
		events, err := hear(t.Context(), w, first.Chat, 0, 2)
		if err != nil {
			t.Error(err)
		}
		heard <- events
	}()
	w.turn("two", "say after")
	events := <-heard
	for i, ev := range events {
		if ev.Seq != orchestrator.Seq(i+1) {
			t.Fatalf("event %d has number %d", i+1, ev.Seq)
		}
	}
	if rest, err := hear(t.Context(), w, first.Chat, events[4].Seq, 2); err != nil || len(rest) != len(events)-5 {
		t.Errorf("after number 5 there are %d of %d events, %v", len(rest), len(events), err)
	}
}

func TestAFollowerOfAChatHearsTurnsOfAnotherProcess(t *testing.T) {
	w := newWorld(t)
	first := w.send("one", "say before")
	w.follow(first.Turn, nil)
	other := w.openAs(neighbour{})
	defer func() { w.check(other.Close()) }()
	heard := make(chan error, 1)
	go func() { // ends with the second turn
		_, err := hear(t.Context(), other, first.Chat, 0, 2)
		heard <- err
	}()
	w.turn("one", "say after")
	w.check(<-heard)
}

func TestFollowersOfAChatEndWithTheOrchestrator(t *testing.T) {
	w := newWorld(t)
	sent := w.send("one", "say something")
	w.follow(sent.Turn, nil)
	other := w.openAs(neighbour{})
	ended := make(chan error, 1)
	up := make(chan struct{})
	go func() {
		ended <- other.FollowChat(t.Context(), sent.Chat, 0, func(ev orchestrator.Event) error {
			if ev.Seq == 1 {
				close(up)
			}
			return nil
		})
	}()
	<-up
	w.check(other.Close())
	if err := <-ended; err == nil {
		t.Error("the follower goes on")
	}
}

func TestOnlyAChatThatIsThereCanBeFollowed(t *testing.T) {
	w := newWorld(t)
	err := w.FollowChat(t.Context(), "c000000000", 0, func(orchestrator.Event) error { return nil })
	if orchestrator.CodeOf(err) != orchestrator.CodeNotFound {
		t.Errorf("an unknown chat: %v", err)
	}
}
