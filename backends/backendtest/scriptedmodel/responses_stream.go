package scriptedmodel

import "fmt"

// responseStream writes a response as server-sent events: items that are
// added, grow, and are done with all that they hold.
type responseStream struct {
	events
	id    string
	model string
	items []object // that are done
	said  string   // of the message that is open
	open  bool
}

var _ answer = (*responseStream)(nil)

func (o *responseStream) text(s string) error {
	if err := o.begin(); err != nil {
		return err
	}
	if !o.open {
		o.open, o.said = true, ""
		if err := o.event("response.output_item.added", object{"item": o.message("in_progress")}); err != nil {
			return err
		}
	}
	o.said += s
	return o.event("response.output_text.delta", object{"item_id": o.itemID(), "content_index": 0, "delta": s})
}

func (o *responseStream) thought(s string) error {
	if err := o.closeMessage(); err != nil {
		return err
	}
	item := object{"type": "reasoning", "id": o.itemID(), "summary": []object{}}
	if err := o.event("response.output_item.added", object{"item": item}); err != nil {
		return err
	}
	if err := o.event("response.reasoning_summary_text.delta", object{"item_id": o.itemID(), "summary_index": 0, "delta": s}); err != nil {
		return err
	}
	item["summary"] = []object{{"type": "summary_text", "text": s}}
	return o.done(item)
}

func (o *responseStream) call(c toolCall) error {
	if err := o.closeMessage(); err != nil {
		return err
	}
	item := object{"type": "function_call", "id": o.itemID(), "call_id": c.ID, "name": c.Name, "arguments": c.Args, "status": "completed"}
	if err := o.event("response.output_item.added", object{"item": item}); err != nil {
		return err
	}
	return o.done(item)
}

func (o *responseStream) end(u usage) error {
	if err := o.closeMessage(); err != nil {
		return err
	}
	response := o.response("completed")
	response["output"] = o.items
	response["usage"] = object{
		"input_tokens": u.Input, "output_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
	}
	return o.event("response.completed", object{"response": response})
}

func (o *responseStream) fail(status int, text string) {
	if !o.begun {
		chatError(o.w, status, text)
		return
	}
	response := o.response("failed")
	response["error"] = object{"code": fmt.Sprint(status), "message": text}
	_ = o.event("response.failed", object{"response": response}) // an error means that the client is gone
}

func (o *responseStream) begin() error {
	if o.begun {
		return nil
	}
	return o.event("response.created", object{"response": o.response("in_progress")})
}

// closeMessage ends the message that is open.
func (o *responseStream) closeMessage() error {
	if err := o.begin(); err != nil || !o.open {
		return err
	}
	o.open = false
	return o.done(o.message("completed"))
}

func (o *responseStream) done(item object) error {
	err := o.event("response.output_item.done", object{"item": item})
	o.items = append(o.items, item)
	return err
}

// event sends an event about the item that is next to be done.
func (o *responseStream) event(kind string, fields object) error {
	fields["type"] = kind
	if fields["response"] == nil {
		fields["output_index"] = len(o.items)
	}
	return o.send(kind, fields)
}

func (o *responseStream) itemID() string { return fmt.Sprintf("%s_item_%d", o.id, len(o.items)) }

func (o *responseStream) message(status string) object {
	content := []object{}
	if status == "completed" {
		content = append(content, object{"type": "output_text", "text": o.said, "annotations": []object{}})
	}
	return object{"type": "message", "id": o.itemID(), "role": "assistant", "status": status, "content": content}
}

func (o *responseStream) response(status string) object {
	return object{"id": o.id, "object": "response", "model": o.model, "status": status, "output": []object{}}
}
