;;; emacs.el --- Emacs in the bench  -*- lexical-binding: t; -*-

;;; Commentary:

;; Does what a line from the socket in BENCH_SOCKET names, and reports with lines
;; of JSON.

;;; Code:

;; Emacs would compile its own libraries in other processes meanwhile.
(setq native-comp-deferred-compilation nil
      native-comp-jit-compilation nil)
(require 'benchmark)
(require 'ediff)
(require 'tandem)

(setq tandem-command (append (json-parse-string (getenv "BENCH_COMMAND")) nil)
      ediff-window-setup-function #'ediff-setup-windows-plain
      inhibit-startup-screen t
      make-backup-files nil
      create-lockfiles nil
      auto-save-default nil)

(defvar bench-socket nil "The connection to the bench.")

(defun bench-report (event &optional value)
  "Report EVENT with VALUE, after what it changed is on the screen."
  (redisplay t)
  (process-send-string bench-socket (concat (json-serialize `(:event ,event :value ,(or value :null))) "\n")))

(defun bench-native ()
  "Return how many seconds `ediff' takes to show a changed copy of the file."
  (let ((file (get-file-buffer "a.ts"))
        (copy (get-buffer-create "copy"))
        control)
    (with-current-buffer copy
      (erase-buffer)
      (insert-buffer-substring file)
      (dolist (line '(50 250 450))
        (goto-char (point-min))
        (forward-line line)
        (insert "// changed\n")))
    (prog1 (benchmark-elapse
             (setq control (ediff-buffers file copy))
             (with-current-buffer control (ediff-next-difference))
             (redisplay t))
      (with-current-buffer control (ediff-really-quit nil))
      (kill-buffer copy))))

(defun bench-do (name)
  "Do what NAME says."
  (pcase name
    ;; A file with the focus, and point where no text is selected.
    ("begin" (select-window (frame-first-window))
     (delete-other-windows)
     (switch-to-buffer "a.ts")
     (deactivate-mark)
     (goto-char (point-min))
     (forward-line 299)
     (tandem--update)
     (push-mark (point) t t)
     (bench-report "began"))
    ("accept" (tandem-accept))
    ("open" (mapc #'find-file (directory-files default-directory t "\\.ts\\'"))
     (bench-report "opened" (length (buffer-list))))
    ;; A diff without Tandem: the same texts.
    ("native" (bench-report "native" (* 1000 (bench-native))))
    ("snapshot" (switch-to-buffer "a.ts")
     (goto-char (point-min))
     (push-mark (point) t t)
     (forward-line 300)
     ;; The garbage of others must not count.
     (garbage-collect)
     (let ((taken (benchmark-elapse (tandem--update))))
       (deactivate-mark)
       (goto-char (point-min))
       (bench-report "snapshot" (* 1000 taken))))))

(add-hook 'tandem-review-opened-functions
          (lambda (_)
            (run-with-timer 0 nil (lambda () (tandem-review) (bench-report "shown")))))
(add-hook 'tandem-review-closed-functions (lambda (&rest _) (bench-report "closed")))
(add-hook 'tandem-connected-hook
          (lambda ()
            (let ((process-environment (default-value 'process-environment)))
              (bench-report "ready" `(:port ,(string-to-number (getenv "TANDEM_PORT")) :pid ,(emacs-pid))))))
(setq bench-socket
      (make-network-process :name "bench" :family 'local :service (getenv "BENCH_SOCKET")
                            :filter (lambda (_ text) (mapc #'bench-do (split-string text)))))
(tandem-mode 1)

;;; emacs.el ends here
