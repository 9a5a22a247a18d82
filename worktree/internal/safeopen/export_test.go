package safeopen

// OpenRootByWalking opens dir as on a kernel without openat2.
func OpenRootByWalking(dir string) (*Root, error) {
	r, err := OpenRoot(dir)
	if err == nil {
		r.openat2 = false
	}
	return r, err
}
