package pending_test

import (
	"context"
	"sync"
)

type tempLocks struct{ m sync.Map }

func openLocks(string) *tempLocks { return &tempLocks{} }
func (l *tempLocks) Lock(ctx context.Context, name string, waiting func()) (func(), error) {
	m, _ := l.m.LoadOrStore(name, &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock, nil
}
func (l *tempLocks) TryLock(name string) (func(), bool, error) {
	m, _ := l.m.LoadOrStore(name, &sync.Mutex{})
	if !m.(*sync.Mutex).TryLock() {
		return nil, false, nil
	}
	return m.(*sync.Mutex).Unlock, true, nil
}
