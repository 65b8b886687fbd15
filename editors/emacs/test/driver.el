;;; driver.el --- Plays the user for the editor contract  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Run by `emacs --batch -L editors/emacs -l editors/emacs/test/driver.el'.  The
;; variable TANDEM_EDITOR_COMMAND names the command to connect to, as a JSON
;; array.

;;; Code:

(require 'tandem)
(require 'flymake)

(defvar test-diagnostics (make-hash-table :test #'equal) "What Flymake reports, by path.")

(cl-defmethod tandem--capabilities ()
  "Add the actions of the user that this file plays."
  '( :diagnostics t
     :test ["focus" "select" "type" "save" "close" "setTrusted" "setDiagnostics"
            "reviewsInView" "edit" "accept" "reject"]))

(defun test-view (params)
  "Return the view of the review that PARAMS name."
  (or (gethash (plist-get params :id) tandem--views)
      (error "Review %s is not in view" (plist-get params :id))))

(defun test-update ()
  "Send what has changed, as after a command."
  (tandem--update)
  nil)

(cl-defmethod tandem-handle ((_method (eql 'test/workspace)) params)
  "Begin with the folder of PARAMS, and no open file."
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'buffer-file-name buffer)
      (with-current-buffer buffer (set-buffer-modified-p nil))
      (let ((kill-buffer-query-functions nil)) (kill-buffer buffer))))
  (mapc #'tandem--end (tandem--pending))
  (delete-other-windows)
  (clrhash test-diagnostics)
  (setq tandem-workspace-folders (list (plist-get params :folder))
        tandem-trusted t)
  (test-update))

(cl-defmethod tandem-handle ((_method (eql 'test/focus)) params)
  "Visit the file of PARAMS."
  (find-file (plist-get params :path))
  (test-update))

(cl-defmethod tandem-handle ((_method (eql 'test/select)) params)
  "Select the range of PARAMS."
  (with-current-buffer (window-buffer)
    (tandem--goto (plist-get (plist-get params :range) :start))
    (push-mark (point) t t)
    (tandem--goto (plist-get (plist-get params :range) :end))
    (set-window-point nil (point)))
  (test-update))

(cl-defmethod tandem-handle ((_method (eql 'test/type)) params)
  "Replace the text of the file of PARAMS."
  (with-current-buffer (tandem--visiting (plist-get params :path))
    (erase-buffer)
    (insert (plist-get params :text)))
  (test-update))

;; In a message, Emacs asks no question.
(cl-defmethod tandem-handle ((_method (eql 'test/save)) params)
  "Save the file of PARAMS."
  (with-current-buffer (tandem--visiting (plist-get params :path))
    (save-buffer))
  (test-update))

(cl-defmethod tandem-handle ((_method (eql 'test/close)) params)
  "Kill the buffer of the file of PARAMS."
  (kill-buffer (tandem--visiting (plist-get params :path)))
  (test-update))

(cl-defmethod tandem-handle ((_method (eql 'test/setTrusted)) params)
  "Trust the workspace as PARAMS say."
  (customize-set-variable 'tandem-trusted (eq t (plist-get params :isTrusted)))
  (test-update))

(cl-defmethod tandem-handle ((_method (eql 'test/setDiagnostics)) params)
  "Report the diagnostics of PARAMS as Eglot does."
  (let ((path (plist-get params :path)))
    (puthash path (plist-get params :diagnostics) test-diagnostics)
    (with-current-buffer (or (tandem--visiting path) (find-file-noselect path))
      (setq-local flymake-diagnostic-functions '(test-flymake))
      (flymake-mode 1)
      (flymake-start)))
  nil)

(defun test-flymake (report &rest _)
  "Give REPORT the diagnostics of this buffer."
  (let ((position (lambda (where)
                    (save-excursion (tandem--goto where) (point)))))
    (funcall report
             (mapcar (lambda (each)
                       (let ((range (plist-get each :range)))
                         (flymake-make-diagnostic
                          (current-buffer)
                          (funcall position (plist-get range :start))
                          (funcall position (plist-get range :end))
                          (intern (concat ":" (plist-get each :severity)))
                          (plist-get each :message)
                          `((eglot-lsp-diag . ,each)))))
                     (gethash buffer-file-name test-diagnostics)))))

(cl-defmethod tandem-handle ((_method (eql 'test/reviewsInView)) _params)
  "Return the ids of the reviews that have buffers."
  (vconcat (delq nil (mapcar (lambda (view)
                               (and (buffer-live-p (tandem--view-proposal view))
                                    (tandem--get view :id)))
                             (tandem--pending)))))

(cl-defmethod tandem-handle ((_method (eql 'test/edit)) params)
  "Type the text of PARAMS into a proposal."
  (with-current-buffer (tandem--view-proposal (test-view params))
    (erase-buffer)
    (insert (plist-get params :text))))

(cl-defmethod tandem-handle ((_method (eql 'test/accept)) params)
  "Accept the review of PARAMS by its command."
  (with-current-buffer (tandem--view-proposal (test-view params))
    (tandem-accept))
  nil)

(cl-defmethod tandem-handle ((_method (eql 'test/reject)) params)
  "Reject the review of PARAMS by its command."
  (with-current-buffer (tandem--view-proposal (test-view params))
    (tandem-reject))
  nil)

(cl-defmethod tandem-handle ((_method (eql 'shutdown)) _params)
  "End Emacs after the answer."
  (run-with-timer 0 nil #'kill-emacs)
  nil)

(transient-mark-mode 1)
(setq create-lockfiles nil
      make-backup-files nil
      auto-save-default nil
      tandem-command (append (json-parse-string (getenv "TANDEM_EDITOR_COMMAND")) nil))
(tandem-mode 1)
(when noninteractive
  (while tandem--connection (accept-process-output nil 1)))

;;; driver.el ends here
