package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/pack/objectid"
	"boo/worktree/internal/populate"
)

// templates are the work trees that files may be copied from, the best first:
// the person's checkout, and another chat's worktree where the checkout is not
// at that tree.
func (p *populating) templates(e *Engine, wt orchestrator.Worktree, format objectid.Format, tree orchestrator.ObjectID) (list []*populate.Template) {
	if filepath.Base(string(wt.CommonDir)) == ".git" {
		t := p.template(filepath.Dir(string(wt.CommonDir)), filepath.Join(string(wt.CommonDir), "index"), format, p.carried)
		if t != nil {
			list = append(list, t)
			if at, known := t.Index.Tree(""); known && at == tree {
				return list
			}
		}
	}
	if t := p.sibling(e, wt, format); t != nil {
		list = append(list, t)
	}
	return list
}

// template returns a work tree, or nil where it has no index to go by, or its
// files may be other than their objects in more than line ends.
func (p *populating) template(dir, index string, format objectid.Format, carried conversion) *populate.Template {
	entries, err := dircache.Read(index, format)
	if err != nil {
		return nil
	}
	converts := carried | p.conversions(entries)
	if converts&^(textual|expanding) != 0 {
		return nil
	}
	return &populate.Template{Dir: dir, Index: entries, Textual: converts != 0}
}

// sibling returns the worktree of another chat of the repository: one of the
// same base, or else the one that was looked at last. What its agent did to
// it shows in the stat data.
func (p *populating) sibling(e *Engine, wt orchestrator.Worktree, format objectid.Format) *populate.Template {
	registered, _ := os.ReadDir(filepath.Join(string(wt.CommonDir), "worktrees"))
	var best orchestrator.ChatID
	var dir string
	var newest time.Time
	for _, entry := range registered {
		chat, err := orchestrator.ParseChatID(entry.Name())
		if err != nil || chat == wt.Chat {
			continue
		}
		info, err := os.Lstat(filepath.Join(e.chatDir(chat), "index"))
		if err != nil {
			continue
		}
		head, _ := readSmall(filepath.Join(e.chatDir(chat), "git", "HEAD"), 1<<10)
		same := strings.TrimSpace(string(head)) == string(wt.Base)
		if !same && !info.ModTime().After(newest) {
			continue
		}
		at := registeredAt(wt.CommonDir, chat)
		if at == "" {
			continue
		}
		best, dir, newest = chat, at, info.ModTime()
		if same {
			break
		}
	}
	if best == "" {
		return nil
	}
	carried, _, err := carriedRules(filepath.Join(e.chatDir(best), "git"))
	if err != nil {
		return nil
	}
	return p.template(dir, filepath.Join(e.chatDir(best), "index"), format, carried)
}

// registeredAt returns the directory that a chat's worktree is registered at; "" if
// it has none.
func registeredAt(common orchestrator.GitDir, chat orchestrator.ChatID) string {
	at, err := readSmall(adminOf(orchestrator.Worktree{CommonDir: common, Chat: chat}).file("gitdir"), 64<<10)
	if err != nil {
		return ""
	}
	dir := filepath.Dir(strings.TrimSuffix(string(at), "\n"))
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// conversions says what the attributes that an index knows of call for;
// everything where they cannot be read.
func (p *populating) conversions(index *dircache.Index) (c conversion) {
	for _, entry := range index.Entries() {
		if entry.Path != ".gitattributes" && !strings.HasSuffix(string(entry.Path), "/.gitattributes") {
			continue
		}
		content, err := p.reader.Bytes(p.ctx, entry.ID, ruleLimit)
		if err != nil {
			return ^conversion(0)
		}
		c |= attributes(content)
	}
	return c
}
