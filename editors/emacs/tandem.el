;;; tandem.el --- Review the changes of terminal coding agents  -*- lexical-binding: t; -*-

;; Author: The Tandem authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, processes, vc
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Tandem connects Claude Code, Gemini CLI, Qwen Code and other terminal coding
;; agents to Emacs.  Agents see the file and the region that you work on.  Each
;; change that they propose is a review: the file and an editable proposal, side
;; by side, that you accept, correct or reject.
;;
;; `tandem-mode' starts the command `tandem editor', one process for each Emacs.
;; Agents that run in a terminal of this Emacs (`term', `vterm', `eat', `shell',
;; `eshell') find it by their environment.  `tandem-reviews' lists the reviews.
;; Nothing is bound to a key by default; `tandem-command-map' is for you to bind:
;;
;;   (tandem-mode 1)
;;   (global-set-key (kbd "C-c t") tandem-command-map)

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'jsonrpc)
(require 'project)
(require 'smerge-mode)
(require 'subr-x)
(require 'tabulated-list)

(declare-function ediff-really-quit "ediff-util" (reverse-default-keep-variants))
(declare-function ediff-setup-windows-plain "ediff-wind" (buf-a buf-b buf-c control-buffer))
(declare-function eat "ext:eat" (&optional program arg))
(declare-function flycheck-error-checker "ext:flycheck" (err))
(declare-function flycheck-error-id "ext:flycheck" (err))
(declare-function flycheck-error-level "ext:flycheck" (err))
(declare-function flycheck-error-message "ext:flycheck" (err))
(declare-function flycheck-error-region-for-mode "ext:flycheck" (err mode))
(declare-function flymake-diagnostic-beg "flymake" (diagnostic))
(declare-function flymake-diagnostic-data "flymake" (diagnostic))
(declare-function flymake-diagnostic-end "flymake" (diagnostic))
(declare-function flymake-diagnostic-text "flymake" (diagnostic))
(declare-function flymake-diagnostic-type "flymake" (diagnostic))
(declare-function flymake-diagnostics "flymake" (&optional beg end))
(declare-function flymake--lookup-type-property "flymake" (type prop &optional default))
(declare-function term-char-mode "term" ())
(declare-function term-mode "term" ())
(declare-function vterm "ext:vterm" (&optional arg))
(defvar ediff-split-window-function)
(defvar ediff-window-setup-function)
(defvar flycheck-current-errors)
(defvar vterm-shell)

(defgroup tandem nil
  "Review the changes of terminal coding agents."
  :group 'tools
  :prefix "tandem-")

(defcustom tandem-command '("tandem" "editor")
  "The command that connects Emacs with agents: a program and its arguments."
  :type '(repeat string))

(defcustom tandem-agents nil
  "The identifiers of the agents to serve, such as \"claude\"; nil for all."
  :type '(repeat string))

(defcustom tandem-deny-patterns nil
  "Patterns of files that no agent may see, in addition to Tandem's own."
  :type '(repeat string))

(defcustom tandem-starts-paused nil
  "Whether agents see nothing until `tandem-resume-sharing'."
  :type 'boolean)

(defcustom tandem-workspace-folders nil
  "The folders in which agents work.
If nil, they are the roots of the projects of open files and terminals, and
the folder in which Emacs was started."
  :type '(repeat directory))

(defcustom tandem-trusted t
  "Whether you trust the files of the workspace.
Some agents do less in a workspace that is not trusted."
  :type 'boolean
  :set (lambda (symbol value)
         (set-default symbol value)
         (when (fboundp 'tandem--schedule) (tandem--schedule))))

(defcustom tandem-display-reviews nil
  "Whether a new review is displayed in another window.
It never takes the focus.  If nil, a message and the mode line announce it."
  :type 'boolean)

(defcustom tandem-kill-asks nil
  "Whether killing the buffer of a pending proposal asks first.
A killed buffer decides nothing: the review stays pending, with your edits."
  :type 'boolean)

(defcustom tandem-edit-delay 0.2
  "After how many seconds without typing Tandem receives your edits."
  :type 'number)

(defcustom tandem-terminal nil
  "The terminal in which `tandem-run-agent' starts an agent.
If nil, it is the first of vterm, eat and term that is installed."
  :type '(choice (const :tag "The first that is installed" nil)
                 (const vterm) (const eat) (const term)))

(defcustom tandem-connected-hook nil
  "Hook run when agents can find this Emacs."
  :type 'hook)

(defcustom tandem-review-opened-functions nil
  "Functions called with each new review, a property list."
  :type 'hook)

(defcustom tandem-review-closed-functions nil
  "Functions called with a review, a property list, and its outcome.
The outcome is \"accepted\", \"rejected\" or \"withdrawn\"."
  :type 'hook)

(defcustom tandem-file-written-functions nil
  "Functions called with the path of a file that an agent has written."
  :type 'hook)

(defface tandem-filler '((t :inherit shadow :extend t))
  "Face of the empty lines that align the two sides of a review.")

(defface tandem-comment '((t :inherit font-lock-comment-face))
  "Face of comments on a review.")

;;; Connection

(cl-defstruct (tandem--view (:copier nil))
  "What Emacs shows of a pending review."
  (review nil :documentation "The review as Tandem sent it last.")
  (proposal nil :documentation "The buffer of the proposal, or nil.")
  (file nil :documentation "The buffer of the file as it is, or nil.")
  (dirty nil :documentation "Whether the proposal has edits that Tandem does not have.")
  (timer nil :documentation "The timer that sends them.")
  (changes nil :documentation "How the proposal differs from the file; see `tandem--diff'.")
  (windows nil :documentation "The frame and the windows before the view was opened.")
  (ediff nil :documentation "The control buffer of its ediff session.")
  (lost nil :documentation "Whether Tandem ended since."))

(defclass tandem--rpc (jsonrpc-process-connection) ()
  "The connection to `tandem editor'.")

(defvar tandem--connection nil "The connection, or nil.")
(defvar tandem--ready nil "The answer to `initialize', or nil before it.")
(defvar tandem--status nil "The last `status/changed'.")
(defvar tandem--failures 0 "How often Tandem has ended in a row.")
(defvar tandem--connected-at 0 "When the connection was made, in seconds.")
(defvar tandem--environment nil "Names of the variables set in the environment.")
(defvar tandem--sent-context nil "The last snapshot that was sent.")
(defvar tandem--sent-workspace nil "The last workspace that was sent.")
(defvar tandem--views (make-hash-table :test #'equal) "The views of reviews, by id.")
(defvar tandem--error-code nil "The code of the error being answered.")
(defvar tandem-mode)

(defconst tandem--none (make-hash-table) "An empty JSON object.")

(defun tandem--json-bool (value)
  "Return VALUE as a JSON boolean."
  (if value t :json-false))

(defun tandem--count (count noun)
  "Return COUNT with NOUN, in the plural if necessary."
  (format "%d %s%s" count noun (if (= count 1) "" "s")))

(defun tandem--true-p (value)
  "Return non-nil if the JSON boolean VALUE is true."
  (eq value t))

(defun tandem--text (string)
  "Return STRING without what JSON cannot carry."
  (condition-case nil
      (and (json-serialize (vector string)) string)
    (error (cl-substitute-if #xfffd (lambda (char) (or (> char #x10ffff) (<= #xd800 char #xdfff)))
                             (string-to-multibyte string)))))

(cl-defmethod jsonrpc-connection-send :around ((connection tandem--rpc) &rest args)
  "Send ARGS over CONNECTION, with the code of an error.
The jsonrpc.el of Emacs 28 and 29 answers errors without their data."
  (let ((err (plist-get args :error)))
    (when (and err tandem--error-code)
      (setq args (plist-put args :error `( :code ,(plist-get err :code)
                                           :message ,(plist-get err :message)
                                           :data (:code ,tandem--error-code)))
            tandem--error-code nil)))
  (apply #'cl-call-next-method connection args))

(defun tandem--fail (code format &rest args)
  "Answer a request with an error of CODE; the message is FORMAT with ARGS."
  (setq tandem--error-code code)
  (jsonrpc-error :code -32000 :message (apply #'format format args) :data `(:code ,code)))

(cl-defgeneric tandem-handle (method _params)
  "Handle METHOD of Tandem with PARAMS, and return its result."
  (jsonrpc-error :code -32601 :message (format "Unknown method: %s" method)))

(defun tandem--dispatch (_connection method params)
  "Handle METHOD with PARAMS."
  (setq tandem--error-code nil)
  (let ((inhibit-read-only nil))
    (condition-case err
        (tandem-handle method params)
      (jsonrpc-error (signal (car err) (cdr err)))
      (error (tandem--fail "failed" "%s" (error-message-string err))))))

(defun tandem--notify (method params)
  "Notify Tandem of METHOD with PARAMS, if it is connected."
  (when (and tandem--ready tandem--connection (jsonrpc-running-p tandem--connection))
    (jsonrpc-notify tandem--connection method params)))

(defun tandem--request (method params &optional then failed)
  "Request METHOD with PARAMS.
Call THEN with the result, or FAILED with the error, a property list.
Without FAILED, show the error's message."
  (unless (and tandem--ready tandem--connection (jsonrpc-running-p tandem--connection))
    (user-error "Tandem is not connected; see M-x tandem-mode"))
  (let ((failed (or failed (lambda (err) (message "Tandem: %s" (plist-get err :message))))))
    (jsonrpc-async-request tandem--connection method params
                           :timeout 30
                           :success-fn (or then #'ignore)
                           :error-fn failed
                           :timeout-fn (lambda ()
                                         (funcall failed '(:message "Tandem does not answer"))))))

(defun tandem--make-process ()
  "Start Tandem, and return its process."
  (let ((default-directory (if (file-directory-p "~/") (expand-file-name "~/") "/")))
    (make-process :name "tandem" :command tandem-command :connection-type 'pipe
                  :coding 'utf-8-emacs-unix :noquery t
                  :stderr (get-buffer-create "*tandem stderr*"))))

(defun tandem--connect ()
  "Start Tandem and introduce this Emacs to it."
  (unless (executable-find (car tandem-command))
    (setq tandem-mode nil)
    (user-error "Tandem needs the command %s; install it with npm install --global tandem-cli"
                (car tandem-command)))
  (setq tandem--ready nil tandem--status nil)
  (let ((connection
         (apply #'make-instance 'tandem--rpc
                :name "tandem" :process #'tandem--make-process
                :request-dispatcher #'tandem--dispatch
                :notification-dispatcher #'tandem--dispatch
                :on-shutdown #'tandem--disconnected
                ;; The events contain the texts of files.
                (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config)
                    '(:events-buffer-config (:size 0 :format full))
                  '(:events-buffer-scrollback-size 0)))))
    (setq tandem--connection connection
          tandem--connected-at (float-time))
    (jsonrpc-async-request
     connection 'initialize
     `( :protocolVersion 1
        :editor (:name "emacs" :displayName "GNU Emacs" :version ,emacs-version :pid ,(emacs-pid))
        :workspaceFolders ,(tandem--workspace-folders)
        :isTrusted ,(tandem--json-bool tandem-trusted)
        :capabilities ,(tandem--capabilities)
        :settings ( ,@(and tandem-agents `(:agents ,(vconcat tandem-agents)))
                    ,@(and tandem-deny-patterns `(:deny ,(vconcat tandem-deny-patterns)))
                    :startsPaused ,(tandem--json-bool tandem-starts-paused)))
     :timeout 60
     :success-fn (lambda (result) (tandem--initialized connection result))
     :error-fn (lambda (err) (message "Tandem: %s" (plist-get err :message)))
     :timeout-fn (lambda () (message "Tandem does not answer; see %s" (tandem--log-buffer))))))

(cl-defgeneric tandem--capabilities ()
  "Return what this Emacs can do besides what every editor does."
  '(:diagnostics t :terminals t))

(defun tandem--log-buffer ()
  "Return the name of the buffer with what Tandem has logged."
  "*tandem events*")

(defun tandem--initialized (connection result)
  "Use RESULT, the answer to `initialize' over CONNECTION."
  (when (eq connection tandem--connection)
    (setq tandem--ready result
          tandem--sent-context nil
          tandem--sent-workspace (tandem--workspace))
    (tandem--set-environment (plist-get result :environment))
    (tandem--send-context)
    (run-with-timer 10 nil #'tandem--drop-lost-views)
    (run-hooks 'tandem-connected-hook)))

(defun tandem--set-environment (environment)
  "Export ENVIRONMENT, a property list, to the children of Emacs."
  (setq-default
   process-environment
   (let ((process-environment (copy-sequence (default-value 'process-environment))))
     (dolist (name tandem--environment) (setenv name nil))
     (setq tandem--environment nil)
     (cl-loop for (name value) on environment by #'cddr
              do (let ((name (substring (symbol-name name) 1)))
                   (push name tandem--environment)
                   (setenv name value)))
     process-environment)))

(defun tandem--disconnected (connection)
  "Start Tandem again if CONNECTION ended unexpectedly."
  (when (eq connection tandem--connection)
    (setq tandem--connection nil tandem--ready nil tandem--status nil)
    (tandem--set-environment nil)
    (maphash (lambda (_id view) (setf (tandem--view-lost view) t)) tandem--views)
    (when tandem-mode
      (setq tandem--failures
            (if (> (- (float-time) tandem--connected-at) 10) 1 (1+ tandem--failures)))
      (if (> tandem--failures 5)
          (message "Tandem ended %d times in a row; see %s, then M-x tandem-mode"
                   tandem--failures (tandem--log-buffer))
        (message "Tandem ended unexpectedly (see %s) and is started again" (tandem--log-buffer))
        (run-with-timer (expt 2 (1- tandem--failures)) nil
                        (lambda () (when (and tandem-mode (not tandem--connection))
                                     (tandem--connect))))))
    (force-mode-line-update t)))

(defun tandem--shut-down ()
  "End the connection, without waiting for Tandem."
  (when-let* ((connection tandem--connection))
    (tandem--save-edits)
    (tandem--notify 'shutdown tandem--none)
    (setq tandem--connection nil tandem--ready nil tandem--status nil)
    (tandem--set-environment nil)
    (when-let* ((process (jsonrpc--process connection)))
      (when (process-live-p process) (process-send-eof process)))))

(defun tandem--save-edits ()
  "Send all edits that Tandem does not have, and wait until it has them."
  (let (unsent)
    (maphash (lambda (_id view) (when (tandem--view-dirty view) (push view unsent))) tandem--views)
    (when (and tandem--ready (jsonrpc-running-p tandem--connection))
      (dolist (view unsent)
        (ignore-errors
          (setf (tandem--view-dirty view) nil)
          (jsonrpc-request tandem--connection 'review/edit (tandem--edit view) :timeout 2))))))

;;; Context

(defvar tandem--timer nil "The timer of the next snapshot, or nil.")
(defvar tandem--active nil "The buffer of the active file.")
(defvar tandem--last-focus 0 "The latest time of a focus, in Unix milliseconds.")
(defvar-local tandem--focused-at nil "When this buffer last had the focus.")
(defvar-local tandem--path nil "The visited file name and its real path.")
(defvar-local tandem--root nil "The current folder and the root of its project.")

(defun tandem--schedule (&rest _)
  "Send a snapshot soon.  Cheap, because every command is followed by it."
  (unless tandem--timer
    (setq tandem--timer (run-with-timer 0.01 nil #'tandem--update))))

(defun tandem--update ()
  "Send what has changed of the context and of the workspace."
  (setq tandem--timer nil)
  (when tandem--ready
    (let ((workspace (tandem--workspace)))
      (unless (equal workspace tandem--sent-workspace)
        (setq tandem--sent-workspace workspace)
        (tandem--request 'workspace/changed workspace
                         (lambda (result)
                           (when-let* ((environment (plist-get result :environment)))
                             (tandem--set-environment environment))))))
    (tandem--send-context)))

(defun tandem--send-context ()
  "Send the open files, unless they are as they were."
  (let ((context (tandem--context)))
    (unless (equal context tandem--sent-context)
      (setq tandem--sent-context context)
      (tandem--notify 'context/changed context))))

(defun tandem--context ()
  "Return a snapshot: the open files, the latest focus first."
  (let ((active (tandem--active-buffer))
        (paths (make-hash-table :test #'equal))
        files)
    (dolist (buffer (if active (cons active (buffer-list)) (buffer-list)))
      (when-let* ((path (tandem--path buffer)))
        (unless (gethash path paths)
          (puthash path t paths)
          (push (tandem--open-file buffer path (eq buffer active)) files))))
    `( :openFiles ,(vconcat (sort files (lambda (a b) (> (plist-get a :lastFocusedAt)
                                                         (plist-get b :lastFocusedAt)))))
       ,@(and active `(:activePath ,(tandem--path active))))))

(defun tandem--path (buffer)
  "Return the real path of BUFFER's file if it is on this machine's disk."
  (when-let* ((name (buffer-local-value 'buffer-file-name buffer)))
    (unless (file-remote-p name)
      (with-current-buffer buffer
        (unless (equal (car tandem--path) name)
          (setq tandem--path (cons name (file-truename name))))
        (let ((path (cdr tandem--path)))
          (and (file-exists-p path) (eq (tandem--text path) path) path))))))

(defun tandem--now ()
  "Return the time in Unix milliseconds, later than any time before."
  (setq tandem--last-focus (max (1+ tandem--last-focus) (truncate (* 1000 (float-time))))))

(defun tandem--active-buffer ()
  "Return the buffer of the file that the user works on, or nil.
It stays active while the user is in a buffer of no file, such as a terminal."
  (let ((buffer (window-buffer (or (minibuffer-selected-window) (selected-window)))))
    (cond ((tandem--path buffer)
           (unless (eq buffer tandem--active)
             (setq tandem--active buffer)
             (with-current-buffer buffer (setq tandem--focused-at (tandem--now)))))
          ((not (and (buffer-live-p tandem--active) (tandem--path tandem--active)))
           (setq tandem--active nil))))
  tandem--active)

(defun tandem--open-file (buffer path active)
  "Describe the file at PATH, open in BUFFER; with its selection if ACTIVE."
  (with-current-buffer buffer
    (unless tandem--focused-at (setq tandem--focused-at (tandem--now)))
    `( :path ,path
       :lastFocusedAt ,tandem--focused-at
       :isDirty ,(tandem--json-bool (buffer-modified-p))
       :languageId ,(tandem--language)
       ,@(and active `(:selection ,(tandem--selection))))))

(defun tandem--language ()
  "Return LSP's name for the language of the current buffer."
  (let ((name (replace-regexp-in-string "\\(-ts\\)?-mode\\'" "" (symbol-name major-mode))))
    (or (cdr (assoc name '(("sh" . "shellscript") ("bash" . "shellscript") ("c++" . "cpp")
                           ("js" . "javascript") ("js2" . "javascript") ("mhtml" . "html")
                           ("csharp" . "csharp") ("tsx" . "typescriptreact")
                           ("fundamental" . "plaintext") ("text" . "plaintext"))))
        name)))

(defun tandem--selection ()
  "Return the region, or the cursor, of the current buffer."
  (save-restriction
    (widen)
    (let* ((window (get-buffer-window))
           (point (if window (window-point window) (point)))
           (mark (if (and transient-mark-mode mark-active (mark t)) (mark t) point))
           (start (min point mark))
           (end (max point mark)))
      `( :range (:start ,(tandem--position start) :end ,(tandem--position end))
         :cursor ,(tandem--position point)
         :text ,(tandem--selected-text start end)))))

(defun tandem--selected-text (start end)
  "Return the text from START to END with the line ends of the file, bounded."
  (let* ((limit (or (plist-get (plist-get tandem--ready :limits) :selectionBytes) 16384))
         (text (buffer-substring-no-properties start (min end (+ start limit))))
         (text (pcase (coding-system-eol-type buffer-file-coding-system)
                 (1 (string-replace "\n" "\r\n" text))
                 (2 (string-replace "\n" "\r" text))
                 (_ text)))
         (text (tandem--text text)))
    (while (> (string-bytes text) limit)
      (setq text (substring text 0 (- (length text)
                                      (max 1 (/ (- (string-bytes text) limit) 4))))))
    text))

(defun tandem--position (pos)
  "Return the line and the UTF-16 column of POS, both from 0."
  (save-excursion
    (goto-char pos)
    (let ((start (line-beginning-position)))
      `( :line ,(1- (line-number-at-pos pos t))
         :character ,(tandem--utf16-length (buffer-substring-no-properties start pos))))))

(defun tandem--utf16-length (string)
  "Return the number of UTF-16 code units in STRING."
  (+ (length string) (cl-count-if (lambda (char) (> char #xffff)) string)))

(defun tandem--goto (position)
  "Go to POSITION, or to the nearest one that exists."
  (widen)
  (goto-char (point-min))
  (if (or (> (forward-line (plist-get position :line)) 0)
          (and (eobp) (not (bolp)) (> (plist-get position :line) 0)
               (< (count-lines (point-min) (point)) (plist-get position :line))))
      (goto-char (point-max))
    (let ((units (plist-get position :character)))
      (while (and (> units 0) (not (eolp)))
        (setq units (- units (if (> (char-after) #xffff) 2 1)))
        (forward-char)))))

(defun tandem--workspace ()
  "Return the folders and whether they are trusted."
  `(:workspaceFolders ,(tandem--workspace-folders) :isTrusted ,(tandem--json-bool tandem-trusted)))

(defun tandem--workspace-folders ()
  "Return the real paths of the folders in which agents work."
  (let ((folders (or tandem-workspace-folders (tandem--project-roots))))
    (vconcat (sort (delete-dups (mapcar (lambda (folder)
                                          (directory-file-name (file-truename folder)))
                                        folders))
                   #'string<))))

(defun tandem--project-roots ()
  "Return the roots of the projects that are open, but not the home folder."
  (let ((home (file-truename "~/"))
        (roots (list (tandem--project-root command-line-default-directory t))))
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer
        (let ((terminal (derived-mode-p 'comint-mode 'term-mode 'vterm-mode 'eat-mode 'eshell-mode)))
          (when (or buffer-file-name terminal)
            (unless (equal (car tandem--root) default-directory)
              (setq tandem--root
                    (cons default-directory (tandem--project-root default-directory terminal))))
            (push (cdr tandem--root) roots)))))
    (cl-remove-if (lambda (root) (member (file-truename root) (list home "/"))) (remq nil roots))))

(defun tandem--project-root (folder &optional itself)
  "Return the root of the project of FOLDER; without one, nil or FOLDER ITSELF."
  (when (and folder (not (file-remote-p folder)) (file-directory-p folder))
    (if-let* ((project (ignore-errors (project-current nil folder))))
        (file-name-as-directory (expand-file-name (project-root project)))
      (and itself (file-name-as-directory (expand-file-name folder))))))

;;; Documents

(defun tandem--visiting (path)
  "Return the buffer that visits the file at PATH."
  (cl-find-if (lambda (buffer) (equal (tandem--path buffer) path)) (buffer-list)))

(cl-defmethod tandem-handle ((_method (eql 'document/open)) params)
  "Open the file of PARAMS."
  (let ((path (plist-get params :path))
        (range (plist-get params :range))
        (enable-local-variables :safe)
        (large-file-warning-threshold nil))
    (cond ((file-directory-p path) (tandem--fail "not-a-file" "%s is a folder" path))
          ((not (file-exists-p path)) (tandem--fail "not-found" "%s does not exist" path)))
    (let ((buffer (or (tandem--visiting path) (find-file-noselect path t))))
      (with-current-buffer buffer
        (when range
          (tandem--goto (plist-get range :start))
          (unless (equal (plist-get range :start) (plist-get range :end))
            (push-mark (point) t t)
            (tandem--goto (plist-get range :end)))))
      (if (not (tandem--true-p (plist-get params :takeFocus)))
          (display-buffer buffer '((display-buffer-reuse-window display-buffer-use-some-window)
                                   (inhibit-same-window . t)))
        (pop-to-buffer buffer (if buffer-file-name
                                  '((display-buffer-reuse-window display-buffer-same-window))
                                '((display-buffer-reuse-window display-buffer-use-some-window
                                                               display-buffer-same-window)))))
      (when range
        (dolist (window (get-buffer-window-list buffer nil t))
          (set-window-point window (with-current-buffer buffer (point))))))
    (tandem--schedule)
    nil))

(cl-defmethod tandem-handle ((_method (eql 'document/save)) params)
  "Save the file of PARAMS, if that needs no question."
  (let ((buffer (tandem--visiting (plist-get params :path))))
    (tandem--schedule)
    (tandem--json-bool
     (and buffer
          (or (not (buffer-modified-p buffer))
              (and (verify-visited-file-modtime buffer)
                   (with-current-buffer buffer
                     (ignore-errors (save-buffer))
                     (not (buffer-modified-p)))))))))

(cl-defmethod tandem-handle ((_method (eql 'document/close)) params)
  "Kill the buffer of the file of PARAMS, unless it is modified."
  (let ((buffer (tandem--visiting (plist-get params :path)))
        (kill-buffer-query-functions nil))
    (tandem--schedule)
    (tandem--json-bool (and buffer (not (buffer-modified-p buffer)) (kill-buffer buffer)))))

(defvar-local tandem--conflict nil "Whether the file changed while this buffer was modified.")

(cl-defmethod tandem-handle ((_method (eql 'file/written)) params)
  "Reload the file of PARAMS, unless its buffer is modified."
  (let* ((path (plist-get params :path))
         (buffer (tandem--visiting path)))
    (when (and buffer (not (verify-visited-file-modtime buffer)))
      (with-current-buffer buffer
        (if (not (buffer-modified-p))
            (let ((revert-without-query '(".")))
              (revert-buffer t t t))
          (setq tandem--conflict t)
          (add-hook 'after-save-hook #'tandem--end-conflict nil t)
          (add-hook 'after-revert-hook #'tandem--end-conflict nil t)
          (force-mode-line-update)
          (message "%s changed on disk, and its buffer has unsaved changes: M-x ediff-current-file"
                   (file-name-nondirectory path)))))
    (run-hook-with-args 'tandem-file-written-functions path)
    (tandem--schedule)
    nil))

(defun tandem--end-conflict ()
  "Remember that buffer and file agree."
  (setq tandem--conflict nil))

;;; Diagnostics

(cl-defmethod tandem-handle ((_method (eql 'diagnostics/get)) params)
  "Return the diagnostics of the file of PARAMS, or of all files."
  (let ((path (plist-get params :path)))
    (vconcat
     (delq nil (mapcar (lambda (buffer)
                         (when-let* ((file (tandem--path buffer)))
                           (when (or (null path) (equal path file))
                             `(:path ,file :diagnostics ,(tandem--diagnostics buffer)))))
                       (buffer-list))))))

(defun tandem--diagnostics (buffer)
  "Return the diagnostics of Flymake and Flycheck in BUFFER."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (vconcat (and (bound-and-true-p flymake-mode)
                    (mapcar #'tandem--flymake-diagnostic (flymake-diagnostics)))
               (and (bound-and-true-p flycheck-mode)
                    (mapcar #'tandem--flycheck-diagnostic flycheck-current-errors))))))

(defun tandem--range (start end)
  "Return the range from START to END."
  `(:start ,(tandem--position start) :end ,(tandem--position end)))

(defun tandem--flymake-diagnostic (diagnostic)
  "Describe a DIAGNOSTIC of Flymake; one of Eglot as its server named it."
  (let* ((data (flymake-diagnostic-data diagnostic))
         (lsp (and (consp data) (ignore-errors (alist-get 'eglot-lsp-diag data))))
         (severity (flymake--lookup-type-property (flymake-diagnostic-type diagnostic) 'severity
                                                  (warning-numeric-level :error))))
    `( :message ,(tandem--text (or (plist-get lsp :message) (flymake-diagnostic-text diagnostic)))
       :severity ,(cond ((>= severity (warning-numeric-level :error)) "error")
                        ((>= severity (warning-numeric-level :warning)) "warning")
                        (t "info"))
       :range ,(tandem--range (flymake-diagnostic-beg diagnostic)
                              (flymake-diagnostic-end diagnostic))
       ,@(and (plist-get lsp :source) `(:source ,(plist-get lsp :source)))
       ,@(and (plist-get lsp :code) `(:code ,(plist-get lsp :code))))))

(defun tandem--flycheck-diagnostic (err)
  "Describe ERR, an error of Flycheck."
  (let ((region (or (flycheck-error-region-for-mode err major-mode)
                    (cons (point-min) (point-min)))))
    `( :message ,(tandem--text (or (flycheck-error-message err) ""))
       :severity ,(pcase (flycheck-error-level err)
                    ('error "error") ('warning "warning") (_ "info"))
       :range ,(tandem--range (car region) (cdr region))
       :source ,(symbol-name (flycheck-error-checker err))
       ,@(and (flycheck-error-id err) `(:code ,(flycheck-error-id err))))))

(defun tandem--diagnosed (&rest _)
  "Report that the diagnostics of the current buffer have changed."
  (when-let* ((path (tandem--path (current-buffer))))
    (tandem--notify 'diagnostics/changed `(:paths [,path]))))

;;; Terminals

(cl-defmethod tandem-handle ((_method (eql 'terminal/insert)) params)
  "Type the text of PARAMS into the one terminal whose process is meant."
  (let* ((pids (append (plist-get params :pids) nil))
         (found (cl-remove-if-not (lambda (process)
                                    (and (memq (process-id process) pids)
                                         (process-live-p process)
                                         (buffer-live-p (process-buffer process))))
                                  (process-list))))
    (tandem--json-bool
     (when (= (length found) 1)
       (process-send-string (car found) (plist-get params :text))
       (display-buffer (process-buffer (car found)))
       t))))

(defun tandem-run-agent (command)
  "Run COMMAND, the program of an agent and its arguments, in a terminal.
It runs in the project of this buffer."
  (interactive (list (tandem--read-agent)))
  (let* ((default-directory (or (tandem--project-root default-directory t)
                                default-directory))
         (process-environment
          (append (mapcar (lambda (name) (concat name "=" (tandem--variable name)))
                          tandem--environment)
                  process-environment))
         (name (file-name-nondirectory (car command)))
         (line (mapconcat #'shell-quote-argument command " "))
         (terminal (or tandem-terminal
                       (cl-find-if (lambda (each) (require each nil t)) '(vterm eat term)))))
    (require terminal)
    (pcase terminal
      ('vterm (let ((vterm-shell line)) (vterm (generate-new-buffer-name (format "*%s*" name)))))
      ('eat (eat line t))
      (_ (let ((buffer (apply #'make-term (substring (generate-new-buffer-name (format "*%s*" name)) 1 -1)
                              shell-file-name nil (list shell-command-switch line))))
           (with-current-buffer buffer
             (term-mode)
             (term-char-mode))
           (pop-to-buffer buffer))))))

(defun tandem--variable (name)
  "Return the value of the environment variable NAME."
  (let ((process-environment (default-value 'process-environment)))
    (getenv name)))

(defun tandem--read-agent ()
  "Ask for an agent, and return its command."
  (let* ((agents (append (plist-get tandem--ready :agents) nil))
         (choices (mapcar (lambda (agent) (cons (plist-get agent :displayName) agent)) agents)))
    (unless choices (user-error "Tandem is not connected; see M-x tandem-mode"))
    (append (plist-get (cdr (assoc (completing-read "Agent: " choices nil t) choices)) :command)
            nil)))

;;; Reviews

(defvar-local tandem--view nil "The view to which this buffer belongs.")
(defvar tandem--quiet nil "Non-nil while Tandem edits a buffer, and not the user.")
(defvar tandem--wanted nil "The id of a review to open once it arrives.")

(defun tandem--get (view key)
  "Return KEY of the review of VIEW."
  (plist-get (tandem--view-review view) key))

(defun tandem--name (view)
  "Return the name of the file of VIEW."
  (file-name-nondirectory (tandem--get view :path)))

(cl-defmethod tandem-handle ((_method (eql 'review/show)) params)
  "Make the buffers of the review of PARAMS."
  (let* ((review (plist-get params :review))
         (id (plist-get review :id))
         (view (gethash id tandem--views))
         (is-new (null view)))
    (if (and view (or (tandem--view-dirty view) (tandem--view-lost view)))
        (tandem--keep-edits view review)
      (setq view (or view (make-tandem--view :review review)))
      (puthash id view tandem--views)
      (tandem--apply view review))
    (tandem--proposal-buffer view)
    (tandem--refresh-list)
    (when is-new (run-hook-with-args 'tandem-review-opened-functions review))
    (cond ((equal id tandem--wanted)
           (setq tandem--wanted nil)
           (run-with-timer 0 nil #'tandem-review view))
          (is-new (tandem--announce view)))
    nil))

(defun tandem--keep-edits (view review)
  "Use REVIEW for VIEW, and send the text of its buffer if that is the user's."
  (setf (tandem--view-lost view) nil)
  (let* ((buffer (tandem--view-proposal view))
         (text (and (buffer-live-p buffer) (tandem--content view)))
         (is-edited (and text (not (member text (list (plist-get review :content)
                                                      (tandem--get view :content)))))))
    (cond ((or (tandem--view-dirty view) is-edited)
           (setf (tandem--view-review view) review
                 (tandem--view-dirty view) t)
           (tandem--flush view))
          (t (tandem--apply view review)))))

(defun tandem--announce (view)
  "Announce the review of VIEW, without taking the focus."
  (when (and tandem-display-reviews (not (active-minibuffer-window)))
    (display-buffer (tandem--proposal-buffer view)
                    '((display-buffer-reuse-window display-buffer-use-some-window
                                                   display-buffer-pop-up-window)
                      (inhibit-same-window . t))))
  (message "%s proposes a change to %s: M-x tandem-review"
           (tandem--get view :agentName) (tandem--name view)))

(cl-defmethod tandem-handle ((_method (eql 'review/changed)) params)
  "Use the review of PARAMS, unless there are edits that it lacks."
  (let* ((review (plist-get params :review))
         (view (gethash (plist-get review :id) tandem--views)))
    (when view
      (if (tandem--view-dirty view)
          (tandem--flush view)
        (tandem--apply view review)))
    (tandem--refresh-list)))

(cl-defmethod tandem-handle ((_method (eql 'review/close)) params)
  "Close the view of the review of PARAMS."
  (let* ((outcome (plist-get params :outcome))
         (view (gethash (plist-get params :id) tandem--views)))
    (when view
      (tandem--end view outcome)
      (run-hook-with-args 'tandem-review-closed-functions (tandem--view-review view) outcome))
    (tandem--refresh-list)))

(defun tandem--end (view outcome)
  "Remove VIEW after OUTCOME.  Text that only its buffer has stays there."
  (remhash (tandem--get view :id) tandem--views)
  (let ((proposal (tandem--view-proposal view))
        (is-unsaved (tandem--view-dirty view)))
    (when (timerp (tandem--view-timer view)) (cancel-timer (tandem--view-timer view)))
    (tandem--quit-ediff view)
    (when (and is-unsaved (buffer-live-p proposal))
      (tandem--flush view)
      (with-current-buffer proposal
        (tandem-proposal-mode -1)
        (setq tandem--view nil
              header-line-format
              (format " The review was %s while you typed.  Your text is still here." outcome))
        (rename-buffer (format "*tandem %s: %s*" outcome (tandem--name view)) t)))
    (tandem--restore-windows view)
    (let ((tandem--quiet t) (kill-buffer-query-functions nil))
      (dolist (buffer (list (tandem--view-file view) (unless is-unsaved proposal)))
        (when (buffer-live-p buffer) (kill-buffer buffer))))))

(defun tandem--drop-lost-views ()
  "Remove the views that Tandem did not show again after it was started again."
  (maphash (lambda (_id view)
             (when (tandem--view-lost view) (tandem--end view "withdrawn")))
           (copy-hash-table tandem--views)))

(defun tandem--apply (view review)
  "Make VIEW show REVIEW."
  (setf (tandem--view-review view) review
        (tandem--view-lost view) nil)
  (when (buffer-live-p (tandem--view-proposal view))
    (tandem--replace (tandem--view-proposal view) (plist-get review :content))
    (with-current-buffer (tandem--view-proposal view)
      (if (string-match-p "^<<<<<<< " (plist-get review :content))
          (smerge-mode 1)
        (when smerge-mode (smerge-mode -1)))))
  (when (buffer-live-p (tandem--view-file view))
    (tandem--replace (tandem--view-file view) (tandem--original review)))
  (tandem--decorate view))

(defun tandem--original (review)
  "Return the text of the file of REVIEW."
  (let ((original (plist-get review :original)))
    (pcase (plist-get original :kind)
      ("text" (plist-get original :text))
      ("binary" (format "(not text: %d bytes)\n" (plist-get original :size)))
      (_ ""))))

(defun tandem--replace (buffer text)
  "Make TEXT the text of BUFFER; positions in what stays stay."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (unless (equal text (buffer-substring-no-properties (point-min) (point-max)))
        (let ((tandem--quiet t)
              (inhibit-read-only t)
              (source (generate-new-buffer " *tandem text*" t)))
          (unwind-protect
              (progn
                (with-current-buffer source (insert text))
                (replace-buffer-contents source 0.1))
            (kill-buffer source)))))
    (set-buffer-modified-p nil)))

(defun tandem--side-buffer (view name text)
  "Make a buffer for VIEW called like NAME, with TEXT, in the mode of its file."
  (let* ((path (tandem--get view :path))
         (mode (assoc-default path auto-mode-alist #'string-match))
         (buffer (generate-new-buffer (format "*tandem %s: %s*" name (tandem--name view)))))
    (with-current-buffer buffer
      (insert text)
      ;; The user's hooks would start language servers; the text may not choose the mode.
      (when (and (symbolp mode) (fboundp mode))
        (ignore-errors (delay-mode-hooks (funcall mode)))
        (font-lock-mode 1))
      (buffer-disable-undo)
      (buffer-enable-undo)
      (setq-local tandem--view view
                  truncate-lines t
                  header-line-format '(:eval (tandem--header)))
      (let ((folder (file-name-directory path)))
        (when (file-directory-p folder) (setq default-directory folder)))
      (goto-char (point-min))
      (set-buffer-modified-p nil))
    buffer))

(defun tandem--proposal-buffer (view)
  "Return the buffer of VIEW's proposal."
  (unless (buffer-live-p (tandem--view-proposal view))
    (let ((buffer (tandem--side-buffer view "proposal" (tandem--get view :content))))
      (setf (tandem--view-proposal view) buffer)
      (with-current-buffer buffer
        (tandem-proposal-mode 1))
      (tandem--decorate view)))
  (tandem--view-proposal view))

(defun tandem--file-buffer (view)
  "Return the read-only buffer of VIEW's file."
  (unless (buffer-live-p (tandem--view-file view))
    (let ((buffer (tandem--side-buffer view "file"
                                       (tandem--original (tandem--view-review view)))))
      (setf (tandem--view-file view) buffer)
      (with-current-buffer buffer
        (tandem-proposal-mode 1)
        (setq buffer-read-only t))
      (tandem--decorate view)))
  (tandem--view-file view))

(defun tandem--header ()
  "Return the header line of a buffer of a review."
  (when tandem--view
    (let* ((view tandem--view)
           (review (tandem--view-review view))
           (warnings (append (plist-get review :warnings) nil)))
      (string-replace
       "%" "%%"
       (concat
        " " (tandem--name view)
        (cond ((eq (current-buffer) (tandem--view-file view))
               (if (equal (plist-get (plist-get review :original) :kind) "missing")
                   " (a new file)" " (as it is)"))
              (t (format " by %s" (plist-get review :agentName))))
        (cond ((tandem--view-lost view) "  Tandem is not connected; your text stays here")
              ((equal (plist-get review :file) "conflict")
               (propertize "  CONFLICT: the file changed on the same lines; C-c RET merges"
                           'face 'error))
              ((equal (plist-get review :file) "deleted")
               (propertize "  CONFLICT: the file was deleted; C-u C-c C-c writes it" 'face 'error))
              ((eq (current-buffer) (tandem--view-proposal view))
               "  C-c C-c accept, C-c C-k reject"))
        (mapconcat (lambda (text) (concat "  " (propertize text 'face 'warning))) warnings ""))))))

(defvar tandem-proposal-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map [remap save-buffer] #'tandem-accept)
    (define-key map (kbd "C-c C-c") #'tandem-accept)
    (define-key map (kbd "C-c C-k") #'tandem-reject)
    (define-key map (kbd "C-c C-f") #'tandem-reject-with-feedback)
    (define-key map (kbd "C-c C-n") #'tandem-next-hunk)
    (define-key map (kbd "C-c C-p") #'tandem-previous-hunk)
    (define-key map (kbd "C-c C-d") #'tandem-drop-hunk)
    (define-key map (kbd "C-c C-u") #'tandem-keep-hunk)
    (define-key map (kbd "C-c C-a") #'tandem-comment)
    (define-key map (kbd "C-c C-e") #'tandem-ediff)
    (define-key map (kbd "C-c RET") #'tandem-merge)
    (define-key map (kbd "C-c C-q") #'tandem-close-review)
    map)
  "Keymap of the buffers of a review.")

(define-minor-mode tandem-proposal-mode
  "Edit the proposal of an agent, and decide it."
  :lighter " Review"
  (if (not tandem-proposal-mode)
      (progn (remove-hook 'after-change-functions #'tandem--edited t)
             (remove-hook 'kill-buffer-query-functions #'tandem--may-kill-p t)
             (remove-hook 'kill-buffer-hook #'tandem--killed t))
    (add-hook 'after-change-functions #'tandem--edited nil t)
    (add-hook 'kill-buffer-query-functions #'tandem--may-kill-p nil t)
    (add-hook 'kill-buffer-hook #'tandem--killed nil t)))

;; Major modes, such as the one of a conflict, do not end a review.
(put 'tandem--view 'permanent-local t)

(defun tandem--edited (&rest _)
  "Send the user's edits after the next pause."
  (unless (or tandem--quiet (null tandem--view))
    (let ((view tandem--view))
      (setf (tandem--view-dirty view) t)
      (when (timerp (tandem--view-timer view)) (cancel-timer (tandem--view-timer view)))
      (setf (tandem--view-timer view)
            (run-with-timer tandem-edit-delay nil #'tandem--flush view)))))

(defun tandem--content (view)
  "Return the text of VIEW's proposal."
  (with-current-buffer (tandem--view-proposal view)
    (save-restriction
      (widen)
      (tandem--text (buffer-substring-no-properties (point-min) (point-max))))))

(defun tandem--edit (view)
  "Return the parameters that send the text of VIEW."
  `(:id ,(tandem--get view :id) :version ,(tandem--get view :version)
    :content ,(tandem--content view)))

(defun tandem--flush (view)
  "Send the edits of VIEW that Tandem does not have."
  (when (and (tandem--view-dirty view) (buffer-live-p (tandem--view-proposal view)))
    (when (and tandem--ready (jsonrpc-running-p tandem--connection))
      (setf (tandem--view-dirty view) nil)
      (tandem--request 'review/edit (tandem--edit view) nil
                       (lambda (err)
                         (setf (tandem--view-dirty view) t)
                         (message "Tandem: %s" (plist-get err :message)))))
    (when (gethash (tandem--get view :id) tandem--views)
      (tandem--decorate view))))

(defun tandem--may-kill-p ()
  "Ask before the buffer of a pending proposal is killed, if the user wants that."
  (or tandem--quiet (not tandem-kill-asks)
      (null tandem--view) (not (eq (current-buffer) (tandem--view-proposal tandem--view)))
      (y-or-n-p "The review stays pending.  Close it? ")))

(defun tandem--killed ()
  "Send the last edits of a proposal whose buffer is killed; it stays pending."
  (when-let* ((view (and (not tandem--quiet) tandem--view)))
    (when (eq (current-buffer) (tandem--view-proposal view))
      (tandem--flush view)
      (tandem--notify 'review/close `(:id ,(tandem--get view :id)))
      (unless (tandem--view-dirty view)
        (remhash (tandem--get view :id) tandem--views)
        (tandem--refresh-list)
        (let ((file (tandem--view-file view)))
          (run-with-timer 0 nil (lambda () (when (buffer-live-p file) (kill-buffer file)))))))))

;;; How the sides differ

(defun tandem--diff (old new)
  "Return how the lines of NEW differ from those of OLD.
Each change is a list (OLD-START OLD-COUNT NEW-START NEW-COUNT), from 0."
  (unless (string= old new)
    (let ((file (make-temp-file "tandem-"))
          (coding-system-for-read 'utf-8-unix)
          (coding-system-for-write 'utf-8-unix)
          (process-environment (cons "LC_ALL=C" process-environment))
          changes)
      (unwind-protect
          (with-temp-buffer
            (write-region old nil file nil 'quiet)
            (insert new)
            (condition-case nil
                (call-process-region (point-min) (point-max) diff-command t t nil "-a" file "-")
              (file-missing (erase-buffer)))
            (goto-char (point-min))
            (while (re-search-forward
                    "^\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)?\\([acd]\\)\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)?$"
                    nil t)
              (let* ((kind (match-string 3))
                     (number (lambda (group) (string-to-number (or (match-string group) ""))))
                     (o (funcall number 1)) (n (funcall number 4))
                     (o-last (if (match-string 2) (funcall number 2) o))
                     (n-last (if (match-string 5) (funcall number 5) n)))
                (push (list (if (equal kind "a") o (1- o)) (if (equal kind "a") 0 (1+ (- o-last o)))
                            (if (equal kind "d") n (1- n)) (if (equal kind "d") 0 (1+ (- n-last n))))
                      changes)))
            (nreverse changes))
        (delete-file file)))))

(defun tandem--decorate (view)
  "Mark what differs, and the comments, in the buffers of VIEW."
  (let ((file (tandem--view-file view))
        (proposal (tandem--view-proposal view))
        (review (tandem--view-review view)))
    (when (buffer-live-p proposal)
      (setf (tandem--view-changes view)
            (unless (equal (plist-get (plist-get review :original) :kind) "binary")
              (tandem--diff (tandem--original review) (tandem--content view))))
      (tandem--decorate-side proposal view nil)
      (when (buffer-live-p file)
        (tandem--decorate-side file view t)))))

(defun tandem--decorate-side (buffer view is-file)
  "Mark in BUFFER what differs in VIEW; it is the file's if IS-FILE."
  (with-current-buffer buffer
    (save-excursion
      (save-restriction
        (widen)
        (remove-overlays nil nil 'tandem t)
        (let ((line 0))
          (goto-char (point-min))
          (pcase-dolist (`(,old ,old-count ,new ,new-count) (tandem--view-changes view))
            (let ((start (if is-file old new))
                  (count (if is-file old-count new-count))
                  (other (if is-file new-count old-count)))
              (forward-line (- start line))
              (let ((from (point)))
                (forward-line count)
                (setq line (+ start count))
                (when (> count 0)
                  (tandem--overlay from (point) 'face (if is-file 'diff-removed 'diff-added)))
                (when (> other count)
                  (tandem--fill from (point) (- other count)))))))
        (seq-do (lambda (comment) (tandem--show-comment comment is-file))
                (plist-get (tandem--view-review view) :comments))))))

(defun tandem--overlay (start end &rest properties)
  "Put an overlay with PROPERTIES from START to END."
  (let ((overlay (make-overlay start end)))
    (overlay-put overlay 'tandem t)
    (while properties
      (overlay-put overlay (pop properties) (pop properties)))
    overlay))

(defun tandem--fill (start end count)
  "Show COUNT empty lines after the lines from START to END, to align both sides."
  (let ((lines (propertize (make-string count ?\n) 'face 'tandem-filler)))
    (if (and (= start end) (or (bolp) (= start (point-min))))
        (tandem--overlay start start 'before-string lines)
      (tandem--overlay (max start (1- end)) end 'after-string lines))))

(defun tandem--show-comment (comment is-file)
  "Show COMMENT below its lines, if it is on this side: the file's if IS-FILE."
  (when (eq is-file (equal (plist-get comment :side) "file"))
    (let ((lines (plist-get comment :lines))
          (text (propertize (concat "  ; " (plist-get comment :text)) 'face 'tandem-comment)))
      (goto-char (point-min))
      (when lines (forward-line (1+ (plist-get lines :last))))
      (if (bolp)
          (tandem--overlay (point) (point) 'before-string (concat text "\n"))
        (tandem--overlay (point) (point) 'after-string (concat "\n" text))))))

(defun tandem--comment-at (view line)
  "Return the comment on LINE of this side of VIEW, or nil."
  (let ((side (if (eq (current-buffer) (tandem--view-file view)) "file" "proposal")))
    (seq-find (lambda (comment)
                (let ((lines (plist-get comment :lines)))
                  (and lines (equal (plist-get comment :side) side)
                       (<= (plist-get lines :first) line (plist-get lines :last)))))
              (tandem--get view :comments))))

;;; Commands on a review

(defun tandem--pending ()
  "Return the views of the pending reviews, the oldest first."
  (let (views)
    (maphash (lambda (_id view) (push view views)) tandem--views)
    (nreverse views)))

(defun tandem--current ()
  "Return the view that a command is about; ask if that is not clear."
  (or tandem--view
      (and (derived-mode-p 'tandem-reviews-mode)
           (or (gethash (tabulated-list-get-id) tandem--views)
               (user-error "There is no open review on this line; RET opens it")))
      (let* ((views (tandem--pending))
             (names (mapcar (lambda (view)
                              (cons (format "%s: %s (%s)" (tandem--get view :id)
                                            (tandem--name view) (tandem--get view :agentName))
                                    view))
                            views)))
        (cond ((null views) (user-error "No pending reviews"))
              ((cdr views) (cdr (assoc (completing-read "Review: " names nil t) names)))
              (t (car views))))))

;;;###autoload
(defun tandem-review (&optional view)
  "Show the file and the proposal of VIEW side by side in this frame.
Interactively, it is the review at point, the only one, or one that you name."
  (interactive)
  (let* ((view (or view (tandem--current)))
         (file (tandem--file-buffer view))
         (proposal (tandem--proposal-buffer view)))
    (unless (tandem--restorable-p view)
      (setf (tandem--view-windows view) (list (selected-frame) (current-window-configuration))))
    (select-window (frame-first-window (window-main-window)))
    (delete-other-windows)
    (set-window-dedicated-p nil nil)
    (switch-to-buffer file nil t)
    (select-window (split-window nil nil (if (< (frame-width) 100) 'below 'right)))
    (switch-to-buffer proposal nil t)
    (when (and (bobp) (tandem--view-changes view))
      (tandem--show-change view (car (tandem--view-changes view))))))

(defun tandem--restorable-p (view)
  "Return non-nil if both sides of VIEW, and only they, are in this frame."
  (and (tandem--view-windows view)
       (eq (selected-frame) (car (tandem--view-windows view)))
       (let ((shown (mapcar #'window-buffer (window-list nil 'nomini))))
         (and (memq (tandem--view-proposal view) shown)
              (cl-every (lambda (buffer)
                          (memq buffer (list (tandem--view-proposal view)
                                             (tandem--view-file view))))
                        shown)))))

(defun tandem--restore-windows (view)
  "Restore the windows from before VIEW was opened, if only VIEW is in the frame."
  (when (and (tandem--restorable-p view) (not (active-minibuffer-window)))
    (set-window-configuration (cadr (tandem--view-windows view))))
  (setf (tandem--view-windows view) nil))

(defun tandem-close-review ()
  "Close the view of this review.  The review stays pending."
  (interactive)
  (let ((view (tandem--current)))
    (tandem--flush view)
    (if (tandem--restorable-p view)
        (tandem--restore-windows view)
      (bury-buffer))))

(defun tandem-accept (&optional overwrites)
  "Accept the text of this review; its agent then writes it.
With a prefix argument, OVERWRITES a file that changed on the same lines."
  (interactive "P")
  (let* ((view (tandem--current))
         (proposal (tandem--proposal-buffer view))
         (name (tandem--name view)))
    (tandem--request
     'review/accept
     (append (tandem--edit view) (and overwrites '(:overwrites t)))
     (lambda (_) (with-current-buffer (if (buffer-live-p proposal) proposal (current-buffer))
                   (message "Accepted %s" name)))
     (lambda (err)
       (when (and (buffer-live-p proposal) (equal (plist-get err :code) -1))
         (setf (tandem--view-dirty view) t))
       (message "Tandem: %s%s" (plist-get err :message)
                (if (equal (plist-get (plist-get err :data) :code) "conflict")
                    " (C-c RET merges, C-u C-c C-c overwrites)" ""))))
    (setf (tandem--view-dirty view) nil)))

(defun tandem-reject ()
  "Reject this review."
  (interactive)
  (let* ((view (tandem--current)) (name (tandem--name view)))
    (tandem--flush view)
    (tandem--request 'review/reject `(:id ,(tandem--get view :id))
                     (lambda (_) (message "Rejected %s" name)))))

(defun tandem-reject-with-feedback (text)
  "Reject this review, and send your comments and TEXT to its agent."
  (interactive (list (read-string "Feedback on the whole change: ")))
  (let ((view (tandem--current)))
    (tandem--flush view)
    (tandem--request 'review/feedback
                     `( :id ,(tandem--get view :id) :rejects t
                        ,@(unless (string-empty-p text) `(:text ,(tandem--text text))))
                     (lambda (result)
                       (when (equal (plist-get result :delivery) "clipboard")
                         (kill-new (plist-get result :text)))
                       (message "%s" (plist-get result :note))))))

(defun tandem-merge ()
  "Merge later edits of the file into this proposal, and mark conflicts."
  (interactive)
  (let ((view (tandem--current)))
    (tandem--flush view)
    (tandem--request 'review/merge `(:id ,(tandem--get view :id)))))

(defun tandem--line ()
  "Return the line of point, from 0."
  (1- (line-number-at-pos nil t)))

(defun tandem--old-lines (view)
  "Return the first and the last line of VIEW's file at point, from 0."
  (let ((line (tandem--line)) (shift 0) found)
    (unless (eq (current-buffer) (tandem--view-file view))
      (pcase-dolist (`(,old ,old-count ,new ,new-count) (tandem--view-changes view))
        (cond ((and (<= new line) (< line (max (+ new new-count) (1+ new))))
               (setq found (list old (+ old (max 0 (1- old-count))))))
              ((<= (+ new new-count) line)
               (setq shift (- (+ old old-count) (+ new new-count)))))))
    (or found (list (+ line shift) (+ line shift)))))

(defun tandem--hunk-at-point (view)
  "Return the number of VIEW's hunk at point, from 0."
  (pcase-let ((`(,first ,last) (tandem--old-lines view)))
    (or (cl-position-if (lambda (hunk)
                          (let* ((original (plist-get hunk :original))
                                 (start (plist-get original :start))
                                 (count (plist-get original :count)))
                            (and (<= start last) (<= first (+ start (max 0 (1- count)))))))
                        (tandem--get view :hunks))
        (user-error "No change at point"))))

(defun tandem--set-hunk (method)
  "Call METHOD for the hunk at point."
  (let ((view (tandem--current)))
    (tandem--flush view)
    (tandem--request method `(:id ,(tandem--get view :id)
                              :hunk ,(with-current-buffer (if tandem--view (current-buffer)
                                                            (tandem--proposal-buffer view))
                                       (tandem--hunk-at-point view))))))

(defun tandem-drop-hunk ()
  "Use the file's own lines for the hunk at point."
  (interactive)
  (tandem--set-hunk 'review/drop))

(defun tandem-keep-hunk ()
  "Use the proposed lines for the hunk at point, after it was dropped."
  (interactive)
  (tandem--set-hunk 'review/keep))

(defun tandem--show-change (view change)
  "Go to CHANGE in the windows that show VIEW."
  (pcase-let ((`(,old ,_ ,new ,_) change))
    (dolist (side (list (cons (tandem--view-file view) old) (cons (tandem--view-proposal view) new)))
      (when (buffer-live-p (car side))
        (with-current-buffer (car side)
          (widen)
          (goto-char (point-min))
          (forward-line (cdr side)))
        (dolist (window (get-buffer-window-list (car side) nil t))
          (set-window-point window (with-current-buffer (car side) (point)))
          (with-selected-window window (recenter (/ (window-body-height) 3))))))))

(defun tandem--move (is-change)
  "Return the differences that satisfy IS-CHANGE, in their order.
It is called with the line of point and that of a change."
  (let* ((view (tandem--current))
         (in-file (eq (current-buffer) (tandem--view-file view)))
         (line (with-current-buffer (if in-file (current-buffer) (tandem--proposal-buffer view))
                 (tandem--line)))
         (found (cl-remove-if-not (lambda (change)
                                    (funcall is-change line (nth (if in-file 0 2) change)))
                                  (tandem--view-changes view))))
    (unless found (user-error "No more changes"))
    found))

(defun tandem-next-hunk ()
  "Go to the next change of this review, on both sides."
  (interactive)
  (tandem--show-change (tandem--current) (car (tandem--move #'<))))

(defun tandem-previous-hunk ()
  "Go to the previous change of this review, on both sides."
  (interactive)
  (tandem--show-change (tandem--current) (car (last (tandem--move #'>)))))

(defun tandem-comment (whole)
  "Comment on the lines of the region or on this line.
With a prefix argument, or outside of the view, on the WHOLE change.  On a line
that has a comment, change that comment; an empty text removes it."
  (interactive "P")
  (let* ((view (tandem--current))
         (id (tandem--get view :id))
         (on-lines (and tandem--view (not whole)))
         (first (if (use-region-p) (1- (line-number-at-pos (region-beginning) t)) (tandem--line)))
         (last (if (use-region-p)
                   (max first (1- (line-number-at-pos (1- (region-end)) t)))
                 first))
         (old (and on-lines (tandem--comment-at view first)))
         (text (tandem--text (read-string (if old "Change the comment: " "Comment: ")
                                          (plist-get old :text)))))
    (tandem--flush view)
    (cond ((and old (string-empty-p text))
           (tandem--request 'review/removeComment `(:id ,id :comment ,(plist-get old :id))))
          ((string-empty-p text) (user-error "Nothing to comment"))
          (old (tandem--request 'review/editComment
                                `(:id ,id :comment ,(plist-get old :id) :text ,text)))
          (t (tandem--request
              'review/comment
              `( :id ,id :text ,text
                 ,@(and on-lines
                        `( :side ,(if (eq (current-buffer) (tandem--view-file view))
                                      "file" "proposal")
                           :lines (:first ,first :last ,last)))))))
    (deactivate-mark)))

(defun tandem-ediff ()
  "Compare the file and the proposal of this review with ediff, in this frame."
  (interactive)
  (require 'ediff)
  (let* ((view (tandem--current))
         (ediff-window-setup-function #'ediff-setup-windows-plain)
         (ediff-split-window-function #'split-window-horizontally))
    (ediff-buffers (tandem--file-buffer view) (tandem--proposal-buffer view)
                   (list (lambda ()
                           (setq-local ediff-window-setup-function #'ediff-setup-windows-plain
                                       ediff-split-window-function #'split-window-horizontally)
                           (setf (tandem--view-ediff view) (current-buffer)))))))

(defun tandem--quit-ediff (view)
  "End the ediff session of VIEW."
  (when (buffer-live-p (tandem--view-ediff view))
    (with-current-buffer (tandem--view-ediff view)
      (ignore-errors (ediff-really-quit nil)))))

;;; The list of reviews

(defvar-local tandem--summaries nil "What the list shows, by id.")

(defvar tandem-reviews-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'tandem-open)
    (define-key map "a" #'tandem-accept)
    (define-key map "k" #'tandem-reject)
    (define-key map "f" #'tandem-reject-with-feedback)
    (define-key map "e" #'tandem-ediff)
    (define-key map "c" #'tandem-comment)
    (define-key map (kbd "SPC") #'tandem-peek)
    (define-key map "A" #'tandem-accept-session)
    (define-key map "K" #'tandem-reject-session)
    (define-key map "w" #'tandem-apply)
    (define-key map "x" #'tandem-discard)
    (define-key map "=" #'tandem-changes)
    map)
  "Keymap of `tandem-reviews-mode'.")

(define-derived-mode tandem-reviews-mode tabulated-list-mode "Reviews"
  "List of the pending and the interrupted reviews.
\\{tandem-reviews-mode-map}"
  (setq tabulated-list-format [("Agent" 13 t) ("File" 30 t) ("State" 11 t) ("Lines" 8 nil)
                               ("Notes" 0 nil)])
  (setq-local revert-buffer-function #'tandem--refresh-list)
  (tabulated-list-init-header))

;;;###autoload
(defun tandem-reviews ()
  "List the pending and the interrupted reviews."
  (interactive)
  (with-current-buffer (get-buffer-create "*tandem reviews*")
    (unless (derived-mode-p 'tandem-reviews-mode) (tandem-reviews-mode))
    (pop-to-buffer (current-buffer)))
  (tandem--refresh-list))

(defun tandem--refresh-list (&rest _)
  "Ask Tandem for the reviews if their list is open, and show them."
  (force-mode-line-update t)
  (when (and tandem--ready (get-buffer "*tandem reviews*"))
    (tandem--request
     'review/list tandem--none
     (lambda (result)
       (when-let* ((buffer (get-buffer "*tandem reviews*")))
         (with-current-buffer buffer
           (setq tandem--summaries
                 (mapcar (lambda (summary) (cons (plist-get summary :id) summary))
                         (append (plist-get result :reviews) (plist-get result :interrupted) nil))
                 tabulated-list-entries (mapcar #'tandem--entry tandem--summaries))
           (tabulated-list-print t)))))))

(defun tandem--entry (pair)
  "Return the line of the list for PAIR, an id and a summary."
  (let* ((review (cdr pair))
         (comments (or (plist-get review :comments) 0)))
    (list (car pair)
          (vector (tandem--agent-name (plist-get review :agent))
                  (tandem--short-name (plist-get review :path))
                  (plist-get review :state)
                  (format "+%s -%s" (plist-get review :added) (plist-get review :removed))
                  (string-join
                   (delq nil (list (and (tandem--true-p (plist-get review :isNewFile)) "new file")
                                   (and (tandem--true-p (plist-get review :isEdited)) "edited")
                                   (and (> comments 0) (tandem--count comments "comment"))
                                   (plist-get review :notKept)))
                   ", ")))))

(defun tandem--agent-name (id)
  "Return the name of the agent with ID."
  (let ((agent (seq-find (lambda (each) (equal (plist-get each :id) id))
                         (plist-get tandem--ready :agents))))
    (or (plist-get agent :displayName) id)))

(defun tandem--short-name (path)
  "Return PATH from its workspace folder, or from the home folder."
  (let ((folder (seq-find (lambda (each) (string-prefix-p (file-name-as-directory each) path))
                          (plist-get tandem--sent-workspace :workspaceFolders))))
    (if folder (file-relative-name path folder) (abbreviate-file-name path))))

(defun tandem--summary ()
  "Return the summary on this line."
  (or (cdr (assoc (tabulated-list-get-id) tandem--summaries))
      (user-error "No review on this line")))

(defun tandem-open ()
  "Open the review on this line."
  (interactive)
  (let* ((summary (tandem--summary))
         (id (plist-get summary :id))
         (view (gethash id tandem--views)))
    (cond (view (tandem-review view))
          ((equal (plist-get summary :state) "interrupted")
           (user-error "Its agent expects no answer: w applies it to the file, x discards it"))
          (t (setq tandem--wanted id)
             (tandem--request 'review/show `(:id ,id))))))

(defun tandem-peek ()
  "Show the review on this line in another window; then its next change."
  (interactive)
  (let* ((view (tandem--current))
         (buffer (tandem--proposal-buffer view)))
    (if (get-buffer-window buffer)
        (tandem-next-hunk)
      (display-buffer buffer '((display-buffer-use-some-window display-buffer-pop-up-window)
                               (inhibit-same-window . t)))
      (when (tandem--view-changes view)
        (tandem--show-change view (car (tandem--view-changes view)))))))

(defun tandem-apply (&optional marks-conflicts)
  "Write the interrupted review on this line to its file.
With a prefix argument, MARKS-CONFLICTS with what changed there since."
  (interactive "P")
  (let ((summary (tandem--summary)))
    (tandem--request 'review/apply
                     `( :id ,(plist-get summary :id)
                        ,@(and marks-conflicts '(:marksConflicts t)))
                     (lambda (_)
                       (message "Applied to %s" (plist-get summary :path))
                       (tandem--refresh-list)))))

(defun tandem-discard ()
  "Discard the interrupted review on this line, with your edits."
  (interactive)
  (let ((summary (tandem--summary)))
    (when (yes-or-no-p (format "Discard the review of %s? " (plist-get summary :path)))
      (tandem--request 'review/discard `(:id ,(plist-get summary :id))
                       (lambda (_) (tandem--refresh-list))))))

(defun tandem--decide-session (verb method more)
  "Ask, then decide all reviews of a session: VERB for the user, METHOD for Tandem.
MORE returns further parameters for the reviews it is called with."
  (let ((session (if (derived-mode-p 'tandem-reviews-mode)
                     (plist-get (tandem--summary) :session)
                   (tandem--get (tandem--current) :session))))
    (mapc #'tandem--flush (tandem--pending))
    (tandem--request
     'session/preview `(:session ,session)
     (lambda (reviews)
       ;; A question is not for a process filter.
       (run-with-timer
        0 nil
        (lambda ()
          (when (y-or-n-p (format "%s %s: %s? " verb (tandem--count (length reviews) "review")
                                  (mapconcat (lambda (review)
                                               (file-name-nondirectory (plist-get review :path)))
                                             reviews ", ")))
            (tandem--request
             method
             `( :session ,session
                :seen ,(vconcat (mapcar (lambda (review) `( :id ,(plist-get review :id)
                                                            :seen ,(plist-get review :seen)))
                                        reviews))
                ,@(funcall more reviews))
             #'tandem--report-decided))))))))

(defun tandem--report-decided (result)
  "Report RESULT, what became of the reviews of a session."
  (let ((left (plist-get result :pending)))
    (message "%d decided%s" (length (plist-get result :decided))
             (if (seq-empty-p left) ""
               (format "; pending: %s"
                       (mapconcat (lambda (review)
                                    (format "%s (%s)"
                                            (file-name-nondirectory (plist-get review :path))
                                            (plist-get review :obstacle)))
                                  left ", "))))))

(defun tandem-accept-session ()
  "Accept all pending reviews of the session of this one."
  (interactive)
  (tandem--decide-session "Accept" 'session/acceptAll #'ignore))

(defun tandem-reject-session ()
  "Reject all pending reviews of the session of this one."
  (interactive)
  (tandem--decide-session
   "Reject" 'session/rejectAll
   (lambda (reviews)
     (and (seq-some (lambda (review) (tandem--true-p (plist-get review :isEdited))) reviews)
          (y-or-n-p "Also those that you edited? ")
          '(:rejectsEdited t)))))

;;; Changes

(defun tandem-changes ()
  "Show what the accepted reviews changed, as a diff."
  (interactive)
  (tandem--request
   'changes/list tandem--none
   (lambda (files)
     (with-current-buffer (get-buffer-create "*tandem changes*")
       (let ((inhibit-read-only t))
         (erase-buffer)
         (seq-do #'tandem--insert-diff files)
         (when (bobp) (insert "No changes of agents.\n"))
         (diff-mode)
         (setq buffer-read-only t)
         (goto-char (point-min)))
       (pop-to-buffer (current-buffer))))))

(defun tandem--insert-diff (file)
  "Insert the diff of FILE, an answer of Tandem."
  (let ((path (plist-get file :path))
        (before (make-temp-file "tandem-"))
        (now (make-temp-file "tandem-"))
        (coding-system-for-write 'utf-8-unix)
        (coding-system-for-read 'utf-8-unix))
    (unwind-protect
        (progn
          (write-region (tandem--file-text (plist-get file :before)) nil before nil 'quiet)
          (write-region (tandem--file-text (plist-get file :now)) nil now nil 'quiet)
          (call-process diff-command nil t nil "-u" "-a" "--label" (concat "a" path)
                        "--label" (concat "b" path) before now))
      (delete-file before)
      (delete-file now))))

(defun tandem--file-text (content)
  "Return the text of CONTENT, a file's at some time."
  (or (plist-get content :text) ""))

(defun tandem-restore (path)
  "Restore the file at PATH, or all files, as they were before agents changed them.
What was written since stays."
  (interactive (list (completing-read "Restore (empty: all files): "
                                      (mapcar (lambda (file) (plist-get file :path))
                                              (jsonrpc-request tandem--connection 'changes/list
                                                               tandem--none))
                                      nil t)))
  (when (yes-or-no-p (format "Restore %s? " (if (string-empty-p path) "all files" path)))
    (tandem--request 'changes/restore (if (string-empty-p path) '(:all t) `(:path ,path))
                     (lambda (files)
                       (message "%s" (mapconcat (lambda (file)
                                                  (format "%s: %s" (plist-get file :path)
                                                          (plist-get file :kind)))
                                                files ", "))))))

;;; The rest

(defun tandem-mention ()
  "Mention this file, or the lines of the region, to the agents."
  (interactive)
  (let ((path (or (tandem--path (current-buffer)) (user-error "This buffer has no file")))
        (lines (and (use-region-p)
                    `( :first ,(1- (line-number-at-pos (region-beginning) t))
                       :last ,(1- (line-number-at-pos (max (region-beginning) (1- (region-end)))
                                                      t))))))
    (tandem--send-context)
    (tandem--request 'mention `(:path ,path ,@(and lines `(:lines ,lines)))
                     (lambda (result)
                       (message "Mentioned to %s"
                                (tandem--count (plist-get result :count) "agent"))))))

(defun tandem-pause-sharing ()
  "Show agents nothing of what you do, until `tandem-resume-sharing'."
  (interactive)
  (tandem--request 'sharing/pause tandem--none (lambda (_) (message "Agents see no files"))))

(defun tandem-resume-sharing ()
  "Show agents again what you work on."
  (interactive)
  (tandem--request 'sharing/resume tandem--none (lambda (_) (message "Agents see your files"))))

(defun tandem-status ()
  "Show which agents are connected, and what they see."
  (interactive)
  (tandem--request
   'status tandem--none
   (lambda (status)
     (with-help-window "*tandem status*"
       (princ (format "Tandem %s serves %s\n\n" (plist-get status :version)
                      (mapconcat #'abbreviate-file-name (plist-get status :workspaceFolders) ", ")))
       (seq-do (lambda (agent)
                 (let ((sessions (length (plist-get agent :sessions))))
                   (princ (format "  %-16s %s\n" (plist-get agent :displayName)
                                  (if (= sessions 0) "not connected"
                                    (format "%d connected" sessions))))))
               (plist-get status :agents))
       (let* ((sharing (plist-get status :sharing))
              (held-back (plist-get sharing :heldBack)))
         (princ (format "\nPending reviews: %d\nActive file: %s\n"
                        (length (plist-get status :reviews))
                        (cond ((tandem--true-p (plist-get sharing :isPaused)) "sharing is paused")
                              (held-back (format "%s, held back: %s" (plist-get held-back :path)
                                                 (plist-get held-back :reason)))
                              (t (or (plist-get (plist-get sharing :activeFile) :path)
                                     "none"))))))))))

(defun tandem-doctor ()
  "Check how agents connect, and show what to do about problems."
  (interactive)
  (async-shell-command (concat (shell-quote-argument (car tandem-command)) " doctor")
                       "*tandem doctor*"))

(cl-defmethod tandem-handle ((_method (eql 'status/changed)) params)
  "Show PARAMS in the mode line."
  (setq tandem--status params)
  (tandem--refresh-list))

(cl-defmethod tandem-handle ((_method (eql 'session/changed)) _params)
  "Show the sessions in the list."
  (tandem--refresh-list))

(cl-defmethod tandem-handle ((_method (eql 'message)) params)
  "Show the message of PARAMS."
  (message "Tandem: %s" (plist-get params :message)))

(defun tandem-mode-line ()
  "Return the text of `tandem-mode' in the mode line."
  (let ((pending (hash-table-count tandem--views)))
    (concat " Tandem"
            (cond (tandem--conflict (propertize "[changed on disk]" 'face 'error))
                  ((null tandem--ready) "[-]")
                  ((> pending 0)
                   (propertize (format "[%d]" pending)
                               'face 'warning 'mouse-face 'mode-line-highlight
                               'help-echo "Pending reviews; mouse-1 lists them"
                               'local-map (make-mode-line-mouse-map 'mouse-1 #'tandem-reviews)))
                  ((tandem--true-p (plist-get tandem--status :isPaused)) "[paused]")))))

(defvar tandem-command-map
  (let ((map (make-sparse-keymap)))
    (dolist (pair '(("l" . tandem-reviews) ("v" . tandem-review) ("a" . tandem-accept)
                    ("k" . tandem-reject) ("f" . tandem-reject-with-feedback)
                    ("n" . tandem-next-hunk) ("p" . tandem-previous-hunk)
                    ("d" . tandem-drop-hunk) ("u" . tandem-keep-hunk) ("c" . tandem-comment)
                    ("e" . tandem-ediff) ("m" . tandem-mention) ("=" . tandem-changes)
                    ("z" . tandem-restore) ("r" . tandem-run-agent) ("s" . tandem-status)
                    ("P" . tandem-pause-sharing) ("R" . tandem-resume-sharing)
                    ("?" . tandem-doctor)))
      (define-key map (car pair) (cdr pair)))
    map)
  "Keymap of Tandem's commands, for you to bind to a prefix key.")
(fset 'tandem-command-map tandem-command-map)

(defconst tandem--hooks
  '(post-command-hook find-file-hook kill-buffer-hook after-save-hook after-revert-hook
    window-selection-change-functions window-buffer-change-functions)
  "The hooks after which the context may be another one.")

;;;###autoload
(define-minor-mode tandem-mode
  "Connect coding agents with this Emacs."
  :global t
  :lighter (:eval (tandem-mode-line))
  (cond (tandem-mode
         (setq tandem--failures 0)
         (unless tandem--connection (tandem--connect))
         (dolist (hook tandem--hooks) (add-hook hook #'tandem--schedule))
         (add-hook 'kill-emacs-hook #'tandem--shut-down)
         (add-hook 'flycheck-after-syntax-check-hook #'tandem--diagnosed)
         ;; Flymake has no hook for this.
         (advice-add 'flymake--handle-report :after #'tandem--diagnosed))
        (t
         (dolist (hook tandem--hooks) (remove-hook hook #'tandem--schedule))
         (remove-hook 'kill-emacs-hook #'tandem--shut-down)
         (remove-hook 'flycheck-after-syntax-check-hook #'tandem--diagnosed)
         (advice-remove 'flymake--handle-report #'tandem--diagnosed)
         (tandem--shut-down)
         (maphash (lambda (_id view) (tandem--end view "withdrawn"))
                  (copy-hash-table tandem--views)))))

(provide 'tandem)
;;; tandem.el ends here
