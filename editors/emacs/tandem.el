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
(require 'diff)
(require 'diff-mode)
(require 'flymake)
(require 'jsonrpc)
(require 'project)
(require 'smerge-mode)
(require 'subr-x)
(require 'tabulated-list)

(declare-function ediff-really-quit "ediff-util" (reverse-default-keep-variants))
(declare-function eat-other-window "ext:eat" (&optional program arg))
(declare-function evil-local-mode "ext:evil-core" (&optional arg))
(declare-function flycheck-error-checker "ext:flycheck" (err))
(declare-function flycheck-error-id "ext:flycheck" (err))
(declare-function flycheck-error-level "ext:flycheck" (err))
(declare-function flycheck-error-message "ext:flycheck" (err))
(declare-function flycheck-error-region-for-mode "ext:flycheck" (err mode))
(declare-function term-char-mode "term" ())
(declare-function term-mode "term" ())
(declare-function vterm-other-window "ext:vterm" (&optional arg))
(defvar eat-buffer-name)
(defvar ediff-split-window-function)
(defvar ediff-window-setup-function)
(defvar flycheck-current-errors)
(defvar markdown-fontify-code-blocks-natively)
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

(defcustom tandem-when-closed 'reject
  "What killing the buffer of a pending proposal does.
It rejects the proposal, asks, or keeps the review pending.  A proposal with
your edits or comments is rejected only after a question."
  :type '(choice (const :tag "Reject the proposal" reject)
                 (const :tag "Ask" ask)
                 (const :tag "Keep the review pending" keep)))

(defcustom tandem-hooks 'follow
  "Which edits of agents that you start in terminals of Emacs wait for you.
With `before' each edit, with `follow' those about which the agent asks in its
own mode, with `after' none that it would not show by itself: the others are
recorded.  With `off' agents get no hooks.  It applies to agents that you start
from then on.  There are no hooks on Windows."
  :type '(choice (const :tag "Each edit" before)
                 (const :tag "Those about which the agent asks" follow)
                 (const :tag "None, but record them" after)
                 (const :tag "No hooks" off))
  :set (lambda (symbol value)
         (set-default symbol value)
         (when (fboundp 'tandem--send-hooks) (tandem--send-hooks))))

(defcustom tandem-mark-changes t
  "Whether the left margin shows which lines agents wrote without a review."
  :type 'boolean)

(defcustom tandem-view-modes
  '( asm-mode awk-mode bat-mode c++-mode c++-ts-mode c-mode c-or-c++-mode c-ts-mode clojure-mode
     cmake-mode cmake-ts-mode conf-javaprop-mode conf-mode conf-toml-mode
     conf-unix-mode conf-windows-mode csharp-mode csharp-ts-mode css-mode css-ts-mode
     dockerfile-mode dockerfile-ts-mode elixir-mode elixir-ts-mode emacs-lisp-mode f90-mode
     fortran-mode gfm-mode go-mode go-mod-ts-mode go-ts-mode html-mode html-ts-mode java-mode
     java-ts-mode javascript-mode js-json-mode js-mode js-ts-mode json-mode json-ts-mode
     kotlin-mode less-css-mode lisp-data-mode lisp-mode lua-mode lua-ts-mode m4-mode
     makefile-automake-mode makefile-bsdmake-mode makefile-gmake-mode makefile-mode markdown-mode
     mhtml-mode objc-mode octave-mode pascal-mode perl-mode python-mode python-ts-mode
     ruby-mode ruby-ts-mode rust-mode rust-ts-mode scheme-mode scss-mode sgml-mode sh-mode
     sql-mode swift-mode tcl-mode text-mode toml-mode toml-ts-mode tsx-ts-mode typescript-mode
     typescript-ts-mode yaml-mode yaml-ts-mode)
  "Major modes that may highlight a proposal; others are shown without colours.
The text may be hostile.  Add no mode that asks, runs programs, reads files that
the text names, or evaluates the text.  Org and LaTeX modes do."
  :type '(repeat symbol))

(defcustom tandem-edit-delay 0.2
  "Seconds without typing after which Tandem receives your edits."
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
  (review nil :documentation "The review as Tandem sent it last; its content as Emacs sent it last.")
  (proposal nil :documentation "The buffer of the proposal, or nil.")
  (file nil :documentation "The buffer of the file as it is, or nil.")
  (timer nil :documentation "The timer that sends the edits.")
  (changes nil :documentation "How the proposal differs from the file; see `tandem--diff'.")
  (windows nil :documentation "The frame and the windows before the view was opened.")
  (ediff nil :documentation "The control buffer of its ediff session.")
  (lost nil :documentation "Whether Tandem ended since.")
  (ended nil :documentation "The outcome, if its buffers stay while the user types."))

(defvar tandem--connection nil "The connection, or nil.")
(defvar tandem--ready nil "The answer to `initialize', or nil before it.")
(defvar tandem--status nil "The last `status/changed'.")
(defvar tandem--failures 0 "How often Tandem has ended in a row.")
(defvar tandem--connected-at 0 "When the connection was made, in seconds.")
(defvar tandem--environment nil "The variables set in the environment, as NAME=VALUE.")
(defvar tandem--path-folder nil "The folder that we have put first in the PATH.")
(defvar tandem--sent-context nil "The last snapshot that was sent.")
(defvar tandem--sent-workspace nil "The last workspace that was sent.")
(defvar tandem--views (make-hash-table :test #'equal) "The views of reviews, by id.")
(defvar-local tandem--summaries nil "What the list of reviews shows, by id.")
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

;; A path that an agent has chosen may look like the name of a remote file, an
;; archive or an encrypted file.  Handlers of such names start programs and ask
;; for passwords.

(defmacro tandem--literally (&rest body)
  "Evaluate BODY, to which all file names are local ones."
  (declare (indent 0) (debug t))
  `(let ((file-name-handler-alist nil)) ,@body))

(defun tandem--handled-p (path)
  "Return non-nil if Emacs has a handler for the file at PATH."
  (find-file-name-handler path 'insert-file-contents))

(defun tandem--visible (name)
  "Return NAME on one line, without characters that reorder it."
  (replace-regexp-in-string "[\0-\37\177\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]" "\ufffd" name t t))

(defun tandem--base-name (path)
  "Return the last name of PATH, to be shown."
  (tandem--visible (tandem--literally (file-name-nondirectory path))))

(cl-defgeneric tandem-handle (method _params)
  "Handle METHOD of Tandem with PARAMS, and return its result."
  (jsonrpc-error :code -32601 :message (format "Unknown method: %s" method)))

(defun tandem--dispatch (_connection method params)
  "Handle METHOD with PARAMS; an error becomes one that Tandem understands."
  (let (;; The process filter of jsonrpc.el binds it.
        (inhibit-read-only nil)
        ;; Opening or saving a file fails instead of asking the user.
        (inhibit-interaction (string-match-p "\\`\\(document\\|file\\)/" (symbol-name method)))
        (vc-follow-symlinks nil))
    (condition-case err
        (tandem-handle method params)
      (jsonrpc-error (signal (car err) (cdr err)))
      (error (jsonrpc-error :code -32000 :message (error-message-string err))))))

(defun tandem--connected-p ()
  "Return non-nil if Tandem receives messages."
  (and tandem--ready tandem--connection (jsonrpc-running-p tandem--connection)))

(defun tandem--notify (method params)
  "Notify Tandem of METHOD with PARAMS, if it is connected."
  (when (tandem--connected-p)
    (jsonrpc-notify tandem--connection method params)))

(defun tandem--request (method params &optional then failed)
  "Request METHOD with PARAMS.
Call THEN with the result, or FAILED with the error, a property list.
Without FAILED, show the error's message."
  (unless (tandem--connected-p)
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
         (apply #'make-instance 'jsonrpc-process-connection
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
     `( :protocolVersion 2
        :editor (:name "emacs" :displayName "GNU Emacs" :version ,emacs-version :pid ,(emacs-pid))
        :workspaceFolders ,(tandem--workspace-folders)
        :isTrusted ,(tandem--json-bool tandem-trusted)
        :capabilities ,(tandem--capabilities)
        :settings ( ,@(and tandem-agents `(:agents ,(vconcat tandem-agents)))
                    ,@(and tandem-deny-patterns `(:deny ,(vconcat tandem-deny-patterns)))
                    :startsPaused ,(tandem--json-bool tandem-starts-paused)
                    :whenClosed ,(symbol-name tandem-when-closed)
                    :hooks ,(symbol-name tandem-hooks)))
     :timeout 60
     :success-fn (lambda (result) (tandem--initialized connection result))
     :error-fn (lambda (err) (message "Tandem: %s" (plist-get err :message)))
     :timeout-fn (lambda () (message "Tandem does not answer.  See *tandem events*")))))

(cl-defgeneric tandem--capabilities ()
  "Return what this Emacs can do besides what every editor does."
  '(:diagnostics t))

(defun tandem--initialized (connection result)
  "Use RESULT, the answer to `initialize' over CONNECTION."
  (when (eq connection tandem--connection)
    (setq tandem--ready result
          tandem--sent-context nil
          tandem--sent-workspace (tandem--workspace))
    (tandem--set-environment (plist-get result :environment))
    (tandem--send-context)
    ;; Not the views that are lost with this connection: the next one shows them again.
    (run-with-timer 10 nil (lambda ()
                             (when (eq connection tandem--connection) (tandem--drop-lost-views))))
    (run-hooks 'tandem-connected-hook)))

(defun tandem--set-environment (environment)
  "Export ENVIRONMENT, a property list, to the children of Emacs."
  (let* ((others (cl-remove-if (lambda (variable) (member variable tandem--environment))
                               (default-toplevel-value 'process-environment)))
         (folder (plist-get environment :TANDEM_PATH))
         (path (tandem--path-of others folder)))
    (setq tandem--environment (cl-loop for (name value) on environment by #'cddr
                                       collect (format "%s=%s" (substring (symbol-name name) 1) value))
          tandem--path-folder folder)
    (unless (equal path (getenv-internal "PATH" others))
      (setq others (setenv-internal (copy-sequence others) "PATH" path nil)))
    ;; A command that is running may have bound it.
    (set-default-toplevel-value 'process-environment (append tandem--environment others))))

(defun tandem--send-hooks ()
  "Send which edits wait of agents that start from now on."
  (when tandem--ready
    (tandem--request 'terminals/hooks `(:hooks ,(symbol-name tandem-hooks))
                     (lambda (result) (tandem--set-environment (plist-get result :environment))))))

(defun tandem--path-of (environment folder)
  "Return the PATH in ENVIRONMENT, with FOLDER in place of our previous one."
  (when-let* ((path (getenv-internal "PATH" environment)))
    (let ((others (cl-remove-if (lambda (each) (member each (list folder tandem--path-folder)))
                                (split-string path ":"))))
      (string-join (if folder (cons folder others) others) ":"))))

(defun tandem--disconnected (connection)
  "Start Tandem again if CONNECTION ended unexpectedly."
  (when (eq connection tandem--connection)
    (tandem--forget-connection)
    (mapc #'tandem--lose (hash-table-values tandem--views))
    (when tandem-mode
      (setq tandem--failures
            (if (> (- (float-time) tandem--connected-at) 10) 1 (1+ tandem--failures)))
      (if (> tandem--failures 5)
          (message "Tandem ended %d times in a row.  See *tandem events*, then run M-x tandem-mode twice"
                   tandem--failures)
        (message "Tandem ended unexpectedly and restarts (see *tandem events*)")
        (run-with-timer (expt 2 (1- tandem--failures)) nil
                        (lambda () (when (and tandem-mode (not tandem--connection))
                                     (tandem--connect))))))
    (force-mode-line-update t)))

(defun tandem--forget-connection ()
  "Forget the connection, and what it has set."
  (setq tandem--connection nil tandem--ready nil tandem--status nil)
  (tandem--set-waiting nil)
  (tandem--set-environment nil))

(defun tandem--shut-down ()
  "End the connection, without waiting for Tandem."
  (when-let* ((connection tandem--connection))
    (tandem--save-edits)
    (tandem--notify 'shutdown tandem--none)
    (tandem--forget-connection)
    (when-let* ((process (jsonrpc--process connection)))
      (when (process-live-p process) (process-send-eof process)))))

(defun tandem--save-edits ()
  "Send all edits that Tandem does not have, and wait until it has them."
  (when-let* ((views (and (tandem--connected-p)
                          (cl-remove-if-not #'tandem--unsent-p (hash-table-values tandem--views)))))
    (mapc #'tandem--flush views)
    (condition-case nil
        ;; Tandem answers in order.
        (jsonrpc-request tandem--connection 'session/list tandem--none :timeout 2)
      (error (dolist (view views) (tandem--set-sent view nil))))))

;;; Context

(defvar tandem--timer nil "The timer of the next snapshot, or nil.")
(defvar tandem--active nil "The buffer of the active file.")
(defvar-local tandem--path nil "The visited file name and its real path.")
(defvar tandem--roots (make-hash-table :test #'equal) "The roots of projects, by folder.")

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
  (let* ((active (tandem--active-buffer))
         (files (cl-loop for buffer in (if active (cons active (remq active (buffer-list)))
                                         (buffer-list))
                         for path = (tandem--path buffer)
                         when path collect (tandem--open-file buffer path (eq buffer active)))))
    `( :openFiles ,(vconcat files)
       ,@(and active `(:activePath ,(plist-get (car files) :path))))))

(defun tandem--path (buffer)
  "Return the real path of BUFFER's file if it is on this machine's disk.
An indirect buffer has the file of its base."
  (when-let* ((name (buffer-local-value 'buffer-file-name (or (buffer-base-buffer buffer) buffer))))
    (with-current-buffer buffer
      (unless (equal (car tandem--path) name)
        (let ((path (unless (file-remote-p name) (file-truename name))))
          (setq tandem--path (cons name (and path (eq (tandem--text path) path) path)))))
      ;; Without handlers, because this follows every command.
      (tandem--literally
        (and (cdr tandem--path) (file-exists-p (cdr tandem--path)) (cdr tandem--path))))))

(defun tandem--active-buffer ()
  "Return the buffer of the file that the user works on, or nil.
It stays active while the user is in a buffer of no file, such as a terminal."
  (let ((buffer (window-buffer (or (minibuffer-selected-window) (selected-window)))))
    (setq tandem--active
          (cl-find-if (lambda (each) (and (buffer-live-p each) (tandem--path each)))
                      (list buffer tandem--active)))))

(defun tandem--open-file (buffer path active)
  "Describe the file at PATH, open in BUFFER; with its selection if ACTIVE."
  (with-current-buffer buffer
    `( :path ,path
       :isDirty ,(tandem--json-bool (buffer-modified-p))
       :languageId ,(string-remove-suffix
                     "-ts" (string-remove-suffix "-mode" (symbol-name major-mode)))
       ,@(and active `(:selection ,(tandem--selection))))))

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
         (text (tandem--text (buffer-substring-no-properties start (min end (+ start limit))))))
    (pcase (coding-system-eol-type buffer-file-coding-system)
      (1 (string-replace "\n" "\r\n" text))
      (2 (string-replace "\n" "\r" text))
      (_ text))))

(defun tandem--position (pos)
  "Return the line and the UTF-16 column of POS, both from 0."
  (save-excursion
    (goto-char pos)
    (let ((before (buffer-substring-no-properties (line-beginning-position) pos)))
      `( :line ,(1- (line-number-at-pos pos t))
         :character ,(+ (length before) (cl-count-if (lambda (char) (> char #xffff)) before))))))

(defun tandem--goto (position)
  "Go to POSITION, or to the nearest one that exists."
  (widen)
  (goto-char (point-min))
  (forward-line (plist-get position :line))
  (let ((units (plist-get position :character)))
    (while (and (> units 0) (not (eolp)))
      (setq units (- units (if (> (char-after) #xffff) 2 1)))
      (forward-char))))

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
            (cl-pushnew (tandem--project-root default-directory (and terminal t)) roots
                        :test #'equal)))))
    (cl-remove-if (lambda (root) (member (file-truename root) (list home "/"))) (remq nil roots))))

(defun tandem--project-root (folder &optional itself)
  "Return the root of the project of FOLDER; without one, nil or FOLDER ITSELF."
  (let ((key (list folder itself)))
    (when (eq (gethash key tandem--roots 'unknown) 'unknown)
      (puthash key
               (when (and folder (not (file-remote-p folder)) (file-directory-p folder))
                 (if-let* ((project (ignore-errors (project-current nil folder))))
                     (file-name-as-directory (expand-file-name (project-root project)))
                   (and itself (file-name-as-directory (expand-file-name folder)))))
               tandem--roots))
    (gethash key tandem--roots)))

(defun tandem--forget-roots ()
  "Look for the roots of projects again, of which there may be a new one."
  (clrhash tandem--roots))

;;; Documents

(defun tandem--visiting (path)
  "Return the buffer that visits the file at PATH."
  (cl-find-if (lambda (buffer)
                (and (null (buffer-base-buffer buffer)) (equal (tandem--path buffer) path)))
              (buffer-list)))

(defun tandem--visit (path)
  "Return a new buffer that visits the file at PATH, without questions."
  (let ((name (tandem--literally (expand-file-name path)))
        (enable-local-variables :safe)
        (enable-local-eval nil)
        (large-file-warning-threshold nil))
    (when (tandem--handled-p name)
      (error "Emacs may start a program to open %s; open it there" path))
    (find-file-noselect name t)))

(cl-defmethod tandem-handle ((_method (eql 'document/open)) params)
  "Open the file of PARAMS."
  (let* ((range (plist-get params :range))
         (start (plist-get range :start))
         (end (plist-get range :end))
         (path (plist-get params :path))
         (buffer (or (tandem--visiting path) (tandem--visit path))))
    (with-current-buffer buffer
      (when range
        (tandem--goto start)
        (unless (equal start end)
          (push-mark (point) t t)
          (tandem--goto end))))
    (if (tandem--true-p (plist-get params :takeFocus))
        (pop-to-buffer buffer '((display-buffer-reuse-window display-buffer-same-window
                                 display-buffer-use-some-window)))
      (tandem--display buffer))
    (when range
      (dolist (window (get-buffer-window-list buffer nil t))
        (set-window-point window (with-current-buffer buffer (point)))))
    (tandem--schedule)
    nil))

(defun tandem--display (buffer)
  "Display BUFFER in another window of this frame, without taking the focus."
  (display-buffer buffer '((display-buffer-reuse-window display-buffer-use-some-window
                            display-buffer-pop-up-window display-buffer-no-window)
                           (inhibit-same-window . t) (allow-no-window . t))))

(cl-defmethod tandem-handle ((_method (eql 'document/save)) params)
  "Save the file of PARAMS, if that needs no question."
  (let ((buffer (tandem--visiting (plist-get params :path))))
    (tandem--schedule)
    (tandem--json-bool
     (and buffer
          (or (not (buffer-modified-p buffer))
              (and (verify-visited-file-modtime buffer)
                   (with-current-buffer buffer
                     (ignore-errors (save-window-excursion (save-buffer)))
                     (not (buffer-modified-p)))))))))

(cl-defmethod tandem-handle ((_method (eql 'document/close)) params)
  "Kill the buffer of the file of PARAMS, unless it is modified."
  (let ((buffer (tandem--visiting (plist-get params :path)))
        (kill-buffer-query-functions nil))
    (tandem--schedule)
    (tandem--json-bool (and buffer (not (buffer-modified-p buffer)) (kill-buffer buffer)))))

(defun tandem--saved ()
  "Report that the user has saved the file of this buffer."
  (when (tandem--connected-p)
    ;; The user's command must not fail.
    (ignore-errors
      (when-let* ((limit (plist-get (plist-get tandem--ready :limits) :savedTextBytes))
                  (path (tandem--path (current-buffer))))
        (tandem--notify 'document/saved `(:path ,path ,@(tandem--saved-text limit)))))))

(defun tandem--saved-text (limit)
  "Return the text of this buffer as a parameter, if it has at most LIMIT bytes.
Not of a file that is compressed or encrypted on disk."
  (unless (tandem--handled-p buffer-file-name)
    (save-restriction
      (widen)
      (when (<= (1- (position-bytes (point-max))) limit)
        `(:text ,(tandem--text (buffer-substring-no-properties (point-min) (point-max))))))))

(defvar-local tandem--conflict nil "Whether the file changed while this buffer was modified.")

(cl-defmethod tandem-handle ((_method (eql 'file/written)) params)
  "Reload the file of PARAMS, unless its buffer is modified."
  (let* ((path (plist-get params :path))
         (buffer (tandem--visiting path)))
    (when (and buffer (not (verify-visited-file-modtime buffer)))
      (with-current-buffer buffer
        (if (not (or (buffer-modified-p) (tandem--handled-p buffer-file-name)))
            (let ((revert-without-query '(".")))
              (revert-buffer t t t))
          (setq tandem--conflict t)
          (add-hook 'after-save-hook #'tandem--end-conflict nil t)
          (add-hook 'after-revert-hook #'tandem--end-conflict nil t)
          (force-mode-line-update)
          (message (if (buffer-modified-p)
                       "%s changed on disk, and its buffer has unsaved changes: M-x ediff-current-file"
                     "%s changed on disk: M-x revert-buffer")
                   (tandem--base-name path)))))
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
                         (when-let* ((file (and (null (buffer-base-buffer buffer))
                                                (tandem--path buffer))))
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

(defun tandem-run-agent (command)
  "Run COMMAND, the program of an agent and its arguments, in a terminal.
It runs in the project of this buffer."
  (interactive (list (tandem--read-agent)))
  (unless (executable-find (car command))
    (user-error "The program %s is not installed, or not in `exec-path'" (car command)))
  (let* ((default-directory (or (tandem--project-root default-directory t) default-directory))
         (process-environment
          (append tandem--environment
                  (when-let* ((path (tandem--path-of process-environment tandem--path-folder)))
                    (list (concat "PATH=" path)))
                  process-environment))
         (name (generate-new-buffer-name (format "*%s*" (file-name-nondirectory (car command)))))
         (line (mapconcat #'shell-quote-argument command " "))
         (terminal (or tandem-terminal
                       (cl-find-if (lambda (each) (require each nil t)) '(vterm eat term)))))
    (require terminal)
    (pcase terminal
      ('vterm (let ((vterm-shell line)) (vterm-other-window name)))
      ('eat (let ((eat-buffer-name name)) (eat-other-window line t)))
      (_ (with-current-buffer (make-term (substring name 1 -1) shell-file-name nil
                                         shell-command-switch line)
           (term-mode)
           (term-char-mode)
           (pop-to-buffer (current-buffer)))))))

(defun tandem--read-agent ()
  "Ask for an agent, and return its command."
  (let* ((agents (append (plist-get tandem--ready :agents) nil))
         (choices (mapcar (lambda (agent) (cons (plist-get agent :displayName) agent)) agents)))
    (unless choices (user-error "Tandem is not connected; see M-x tandem-mode"))
    (append (plist-get (cdr (assoc (completing-read "Agent: " choices nil t) choices)) :command)
            nil)))

;;; Reviews

(defvar-local tandem--view nil "The view to which this buffer belongs.")
;; Major modes, such as the one of a conflict, do not end a review.
(put 'tandem--view 'permanent-local t)
(defvar tandem--quiet nil "Non-nil while Tandem edits a buffer, and not the user.")
(defvar tandem--wanted nil "The id of a review to open once it arrives.")

(defun tandem--get (view key)
  "Return KEY of the review of VIEW."
  (plist-get (tandem--view-review view) key))

(defun tandem--name (view)
  "Return the name of the file of VIEW."
  (tandem--base-name (tandem--get view :path)))

(cl-defmethod tandem-handle ((_method (eql 'review/show)) params)
  "Make the buffers of the review of PARAMS, or use it for those that exist."
  (let* ((review (plist-get params :review))
         (id (plist-get review :id))
         (known (gethash id tandem--views))
         (view (or known (puthash id (make-tandem--view :review review) tandem--views))))
    (setf (tandem--view-lost view) nil
          (tandem--view-ended view) nil)
    (if (not (and known (tandem--unsent-p view)))
        (tandem--apply view review)
      (setf (tandem--view-review view) review)
      (tandem--flush view))
    (tandem--proposal-buffer view)
    (tandem--refresh-list)
    (unless known (run-hook-with-args 'tandem-review-opened-functions review))
    (cond ((equal id tandem--wanted)
           (setq tandem--wanted nil)
           (run-with-timer 0 nil #'tandem-review view))
          ((not known) (tandem--announce view)))
    nil))

(defun tandem--announce (view)
  "Announce the review of VIEW, without taking the focus."
  (when (and tandem-display-reviews (not (active-minibuffer-window)))
    (tandem--display (tandem--proposal-buffer view)))
  (message "%s proposes a change to %s: %s" (tandem--get view :agentName) (tandem--name view)
           (substitute-command-keys "\\[tandem-review]")))

(cl-defmethod tandem-handle ((_method (eql 'review/changed)) params)
  "Use the review of PARAMS, unless there are edits that it lacks."
  (let* ((review (plist-get params :review))
         (view (gethash (plist-get review :id) tandem--views)))
    (cond ((null view))
          ((tandem--unsent-p view) (tandem--flush view))
          (t (tandem--apply view review)))
    (tandem--refresh-list)))

(cl-defmethod tandem-handle ((_method (eql 'review/close)) params)
  "Close the view of the review of PARAMS."
  (let* ((outcome (plist-get params :outcome))
         (view (gethash (plist-get params :id) tandem--views)))
    (when view
      (tandem--close view outcome)
      (run-hook-with-args 'tandem-review-closed-functions (tandem--view-review view) outcome))
    (tandem--refresh-list)))

(defvar tandem--pause 1 "Seconds without input after which the user does not type any more.")

(defun tandem--typing-p (view)
  "Return non-nil if the user types in VIEW, and has not just decided."
  (and (memq (window-buffer) (list (tandem--view-proposal view) (tandem--view-file view)
                                   (tandem--view-ediff view)))
       (not (memq last-command '(tandem-accept tandem-reject tandem-reject-with-feedback
                                 tandem-accept-session tandem-reject-session)))
       (< (float-time (or (current-idle-time) 0)) tandem--pause)))

(defun tandem--close (view outcome)
  "Remove VIEW after OUTCOME; while the user types in it, at the next pause.
The next keys would otherwise go into another buffer."
  (if (not (tandem--typing-p view))
      (tandem--end view)
    (setf (tandem--view-ended view) outcome)
    (run-with-idle-timer tandem--pause nil
                         (lambda () (when (tandem--view-ended view) (tandem--end view))))))

(defun tandem--end (view)
  "Remove VIEW and its buffers.  Text that only they have stays in another one."
  (remhash (tandem--get view :id) tandem--views)
  (tandem--quit-ediff view)
  ;; Tandem takes text that is late.
  (tandem--flush view)
  (when (tandem--unsent-p view)
    (tandem--keep-text view (tandem--content view)))
  (tandem--restore-windows view)
  (let ((tandem--quiet t) (kill-buffer-query-functions nil))
    (dolist (buffer (list (tandem--view-file view) (tandem--view-proposal view)))
      (when (buffer-live-p buffer) (kill-buffer buffer)))))

(defun tandem--keep-text (view content)
  "Put CONTENT, a text of VIEW that Tandem does not have, into a buffer of its own."
  (with-current-buffer (generate-new-buffer (format "*tandem kept: %s*" (tandem--name view)))
    (insert content)
    (setq buffer-offer-save t)
    (message "Your last edits to %s are in the buffer %s" (tandem--name view) (buffer-name))))

(defun tandem--drop-lost-views ()
  "Remove the views that Tandem did not show again after it was started again."
  (dolist (view (cl-remove-if-not #'tandem--view-lost (tandem--pending)))
    (tandem--close view "withdrawn")))

(defun tandem--apply (view review)
  "Make VIEW show REVIEW."
  (setf (tandem--view-review view) review)
  (when (buffer-live-p (tandem--view-proposal view))
    (tandem--replace (tandem--view-proposal view) (plist-get review :content))
    (with-current-buffer (tandem--view-proposal view)
      (let ((has-markers (string-match-p "^<<<<<<< " (plist-get review :content))))
        (unless (eq (and smerge-mode t) (and has-markers t))
          (smerge-mode (if has-markers 1 -1))))))
  (when (buffer-live-p (tandem--view-file view))
    (tandem--replace (tandem--view-file view) (tandem--original review)))
  (tandem--decorate view))

(defun tandem--original (review)
  "Return the text of the file of REVIEW."
  (let ((original (plist-get review :original)))
    (pcase (plist-get original :kind)
      ("text" (plist-get original :text))
      ("binary"
       (format "This file is binary (%d bytes). The proposal replaces all of it.\n"
               (plist-get original :size)))
      (_ ""))))

(defun tandem--replace (buffer text)
  "Make TEXT the text of BUFFER; positions in what stays stay."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (unless (equal text (buffer-substring-no-properties (point-min) (point-max)))
        (let ((tandem--quiet t)
              (inhibit-read-only t)
              (is-modified (buffer-modified-p))
              (source (generate-new-buffer " *tandem text*" t)))
          (unwind-protect
              (progn
                (with-current-buffer source (insert text))
                (replace-buffer-contents source 0.1))
            (kill-buffer source))
          (restore-buffer-modified-p is-modified))))))

(defun tandem--side-buffer (view side text)
  "Return a new buffer for VIEW with TEXT, in the mode of its file.
SIDE is \"proposal\" or \"file\"."
  (let ((path (tandem--get view :path)))
    (with-current-buffer
        (generate-new-buffer (format "*tandem %s: %s*" side (tandem--name view)))
      (setq default-directory (tandem--folder path))
      (buffer-disable-undo)
      (insert text)
      (tandem--highlight path)
      (buffer-enable-undo)
      (tandem-proposal-mode 1)
      (when (bound-and-true-p evil-mode) (evil-local-mode 1))
      (setq tandem--view view
            truncate-lines t
            header-line-format '(:eval (tandem--header))
            buffer-read-only (equal side "file"))
      (goto-char (point-min))
      (set-buffer-modified-p nil)
      (current-buffer))))

(defun tandem--folder (path)
  "Return the folder of the file at PATH; the home folder if it is no local one."
  (let ((folder (tandem--literally (expand-file-name (file-name-directory path)))))
    (if (and (tandem--literally (file-directory-p folder))
             (not (find-file-name-handler folder 'file-directory-p)))
        folder
      (expand-file-name "~/"))))

(defun tandem--highlight (path)
  "Highlight this buffer as the file at PATH, and nothing else.
The text may not choose the mode.  Hooks and globalized modes would start
language servers and checkers, which evaluate or send the text."
  (let ((mode (ignore-errors (assoc-default path auto-mode-alist #'string-match))))
    (when (and (memq mode tandem-view-modes) (fboundp mode))
      (let ((change-major-mode-hook nil) (inhibit-interaction t) (inhibit-message t))
        (ignore-errors (tandem--literally (delay-mode-hooks (funcall mode)))))
      (setq-local completion-at-point-functions nil
                  markdown-fontify-code-blocks-natively nil)
      (font-lock-mode 1))))

(defun tandem--proposal-buffer (view)
  "Return the buffer of VIEW's proposal."
  (unless (buffer-live-p (tandem--view-proposal view))
    (setf (tandem--view-proposal view)
          (tandem--side-buffer view "proposal" (tandem--get view :content)))
    (tandem--decorate view))
  (tandem--view-proposal view))

(defun tandem--file-buffer (view)
  "Return the read-only buffer of VIEW's file."
  (unless (buffer-live-p (tandem--view-file view))
    (setf (tandem--view-file view)
          (tandem--side-buffer view "file" (tandem--original (tandem--view-review view))))
    (tandem--decorate view))
  (tandem--view-file view))

(defun tandem--header ()
  "Return the header line of a buffer of a review."
  (when tandem--view
    (let* ((view tandem--view)
           (review (tandem--view-review view)))
      (string-replace
       "%" "%%"
       (concat
        " " (tandem--short-name (tandem--get view :path))
        (cond ((eq (current-buffer) (tandem--view-file view))
               (if (equal (plist-get (plist-get review :original) :kind) "missing")
                   " (a new file)" " (current file)"))
              (t (format " by %s" (plist-get review :agentName))))
        (cond ((tandem--view-ended view)
               (format "  %s, no longer proposed; what you type is kept" (tandem--view-ended view)))
              ((tandem--view-lost view) "  Tandem is not connected; your text stays here")
              ((equal (plist-get review :file) "conflict")
               (propertize "  CONFLICT: the file changed on the same lines; C-c RET merges"
                           'face 'error))
              ((equal (plist-get review :file) "deleted")
               (propertize "  CONFLICT: the file was deleted; C-u C-c C-c writes it" 'face 'error))
              ((eq (current-buffer) (tandem--view-proposal view))
               "  C-c C-c accept, C-c C-k reject, C-c C-h more")))))))

(defun tandem--keymap (&rest bindings)
  "Return a keymap of BINDINGS, which are keys for `kbd' and commands."
  (let ((map (make-sparse-keymap)))
    (cl-loop for (key command) on bindings by #'cddr do (define-key map (kbd key) command))
    map))

(defvar tandem-proposal-mode-map
  (tandem--keymap "C-c C-c" #'tandem-accept "C-c C-k" #'tandem-reject
                  "C-c C-f" #'tandem-reject-with-feedback "C-c RET" #'tandem-merge
                  "C-c C-n" #'tandem-next-hunk "C-c C-p" #'tandem-previous-hunk
                  "C-c C-d" #'tandem-drop-hunk "C-c C-u" #'tandem-keep-hunk
                  "C-c C-a" #'tandem-comment "C-c C-e" #'tandem-ediff
                  "C-c C-q" #'tandem-close-review "<remap> <save-buffer>" #'tandem-accept)
  "Keymap of the buffers of a review.")

(define-minor-mode tandem-proposal-mode
  "Edit the proposal of an agent, and decide it."
  :lighter " Review"
  (pcase-dolist (`(,hook . ,function) '((after-change-functions . tandem--edited)
                                        (window-scroll-functions . tandem--scrolled)
                                        (window-configuration-change-hook . tandem--show-warnings)
                                        (kill-buffer-query-functions . tandem--may-kill-p)
                                        (kill-buffer-hook . tandem--killed)))
    (if tandem-proposal-mode
        (add-hook hook function nil t)
      (remove-hook hook function t))))

(defun tandem--edited (&rest _)
  "Send the user's edits after the next pause."
  (unless (or tandem--quiet (null tandem--view))
    (when-let* ((timer (tandem--view-timer tandem--view)))
      (cancel-timer timer))
    (setf (tandem--view-timer tandem--view)
          (run-with-timer tandem-edit-delay nil #'tandem--flush tandem--view))))

(defun tandem--content (view)
  "Return the text of VIEW's proposal."
  (with-current-buffer (tandem--view-proposal view)
    (save-restriction
      (widen)
      (tandem--text (buffer-substring-no-properties (point-min) (point-max))))))

(defun tandem--unsent-p (view)
  "Return non-nil if VIEW's proposal has edits that were not sent, or maybe lost."
  (and (buffer-live-p (tandem--view-proposal view))
       (not (equal (tandem--content view) (tandem--get view :content)))))

(defun tandem--set-sent (view content)
  "Remember that Tandem has CONTENT of VIEW, or nil if that is unknown."
  (setf (tandem--view-review view) (plist-put (tandem--view-review view) :content content)))

(defun tandem--send-text (view method &optional more then)
  "Send the text of VIEW by METHOD with MORE parameters; call THEN with the result.
The text then counts as sent until Tandem refuses it."
  (let* ((content (tandem--content view))
         (is-known (equal content (tandem--get view :content)))
         (params `( :id ,(tandem--get view :id) :version ,(tandem--get view :version)
                    :content ,content ,@more)))
    (tandem--request-asking method params then
                            (lambda (err) (tandem--refused view (unless is-known content) err)))
    (tandem--set-sent view content)))

(defun tandem--request-asking (method params then &optional failed)
  "Request METHOD with PARAMS, and ask what Tandem asks before it carries it out.
Call THEN with the result, or FAILED with an error that is no question.
Without FAILED, show the error's message."
  (tandem--request
   method params then
   (lambda (err)
     (if-let* ((question (tandem--question err)))
         (tandem--ask question
                      (lambda (choice)
                        (tandem--request-asking
                         method (plist-put (copy-sequence params) :answer (plist-get choice :answer))
                         (if (equal (plist-get choice :kind) "merge") #'ignore then)
                         failed)))
       (if failed (funcall failed err) (message "Tandem: %s" (plist-get err :message)))))))

(defun tandem--refused (view content err)
  "Show ERR, the answer for VIEW; Tandem may lack CONTENT, unless it is nil."
  (let ((code (plist-get (plist-get err :data) :code)))
    (message "Tandem: %s" (plist-get err :message))
    ;; These refuse the decision, but not the text.
    (unless (or (null content) (member code '("changed" "conflict")))
      (tandem--set-sent view nil)
      (unless (buffer-live-p (tandem--view-proposal view))
        (tandem--keep-text view content)))))

(defun tandem--flush (view)
  "Send the edits of VIEW that Tandem does not have, and show how the sides differ."
  (when (tandem--unsent-p view)
    (when (and (tandem--connected-p) (not (tandem--view-lost view)))
      (tandem--send-text view 'review/edit))
    (tandem--decorate view)))

(defun tandem--lose (view)
  "Remember that Tandem, which has ended, may not have the edits of VIEW."
  (setf (tandem--view-lost view) t)
  (when (buffer-live-p (tandem--view-proposal view))
    (with-current-buffer (tandem--view-proposal view)
      (setq buffer-offer-save t)
      (when (buffer-modified-p) (tandem--set-sent view nil)))))

(defun tandem--may-kill-p ()
  "Ask before the buffer of a proposal is killed if that loses text."
  (let ((view tandem--view))
    (cond ((or tandem--quiet (null view) (not (eq (current-buffer) (tandem--view-proposal view)))))
          ((progn (tandem--flush view) (tandem--unsent-p view))
           (yes-or-no-p "Tandem is not connected, and only this buffer has your text.  Kill it? "))
          (t))))

(defvar tandem--closed nil "The ids of the reviews whose proposals were just killed.")

(defun tandem--killed ()
  "Send the last edits of a proposal whose buffer is killed, and that it is closed."
  (when-let* ((view (and (not tandem--quiet) tandem--view)))
    (when (eq (current-buffer) (tandem--view-proposal view))
      (tandem--flush view)
      (unless tandem--closed (run-with-timer 0 nil #'tandem--report-closed))
      (push (tandem--get view :id) tandem--closed)
      (remhash (tandem--get view :id) tandem--views)
      (let ((file (tandem--view-file view)))
        (run-with-timer 0 nil (lambda () (when (buffer-live-p file) (kill-buffer file))))))))

(defun tandem--report-closed ()
  "Report the proposals that one command killed; Tandem decides what that means."
  (let* ((ids (nreverse tandem--closed))
         (more (and (cdr ids) '(:isSeveral t))))
    (setq tandem--closed nil)
    (when (tandem--connected-p)
      (dolist (id ids)
        (tandem--request
         'review/close `(:id ,id ,@more)
         (lambda (answer)
           (when-let* ((note (plist-get answer :note))) (message "%s" note)))
         (lambda (err)
           (when-let* ((question (tandem--question err)))
             (tandem--ask question (lambda (choice) (tandem--answer-closing id choice))))))))
    (tandem--refresh-list)))

(defun tandem--answer-closing (id choice)
  "Carry out CHOICE for the review ID, whose proposal was killed."
  (pcase (plist-get choice :kind)
    ("show"
     (setq tandem--wanted id)
     (tandem--request 'review/show `(:id ,id)))
    ((and (or "accept" "reject") kind)
     (tandem--request-asking (intern (concat "review/" kind)) `(:id ,id) #'ignore))))

;;; Questions

(defun tandem--question (err)
  "Return the question that is ERR, the answer to a call, if it can be answered."
  (when-let* ((question (plist-get (plist-get err :data) :question)))
    (unless (seq-empty-p (plist-get question :choices)) question)))

(defun tandem--ask (question then)
  "Ask QUESTION of Tandem; call THEN with the choice, unless the user cancels.
The answer is the name of a choice, so that no single key decides.  It comes
from a message, so it is asked when that is handled, and not in a minibuffer."
  (run-with-timer
   0 nil
   (lambda ()
     (if (active-minibuffer-window)
         (message "%s" (plist-get question :message))
       (when-let* ((choice (tandem--read-choice question))) (funcall then choice))))))

(defun tandem--read-choice (question)
  "Show QUESTION whole, and return the choice whose name is typed, or nil."
  (let* ((completion-ignore-case t)
         (labels (mapcar (lambda (choice) (cons (plist-get choice :label) choice))
                         (plist-get question :choices)))
         (buffer (get-buffer-create "*tandem question*"))
         window)
    (with-current-buffer buffer
      (special-mode)
      (setq truncate-lines nil word-wrap t)
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (string-join (delq nil (list (plist-get question :message)
                                             (plist-get question :detail)))
                             "\n")))
      (goto-char (point-min)))
    (setq window (display-buffer buffer '((display-buffer-at-bottom)
                                          (inhibit-same-window . t)
                                          (window-height . fit-window-to-buffer))))
    (unwind-protect
        (cdr (assoc (completing-read
                     (format "%s (empty: cancel): " (string-join (mapcar #'car labels) " / "))
                     labels nil t)
                    labels))
      (when (window-live-p window) (quit-restore-window window 'kill)))))

;;; How the sides differ

(defun tandem--diff (old new)
  "Return how the lines of NEW differ from those of OLD.
Each change is a list (OLD-START OLD-COUNT NEW-START NEW-COUNT), from 0."
  (let* ((coding-system-for-read 'utf-8-unix)
         (coding-system-for-write 'utf-8-unix)
         (file (make-temp-file "tandem-"))
         changes)
    (unwind-protect
        (with-temp-buffer
          (write-region old nil file nil 'quiet)
          (insert new)
          (condition-case nil
              (call-process-region nil nil diff-command t t nil "-a" "-U0" file "-")
            (file-missing (erase-buffer)))
          (goto-char (point-min))
          (while (re-search-forward
                  "^@@ -\\([0-9]+\\),?\\([0-9]*\\) \\+\\([0-9]+\\),?\\([0-9]*\\) @@" nil t)
            (cl-flet ((lines (group)
                        (let ((start (string-to-number (match-string group)))
                              (count (string-to-number (match-string (1+ group)))))
                          (cond ((equal (match-string (1+ group)) "") (list (1- start) 1))
                                ((= count 0) (list start 0))
                                (t (list (1- start) count))))))
              (push (append (lines 1) (lines 3)) changes)))
          (nreverse changes))
      (delete-file file))))

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
        (tandem--decorate-side file view t))
      (tandem--show-warnings view))))

(defun tandem--show-warnings (&optional view)
  "Show the warnings of VIEW, or of this buffer, above the text.
They are wrapped to the window, which does not show the end of a long line."
  (when-let* ((view (or view tandem--view))
              (proposal (tandem--view-proposal view)))
    (let* ((windows (and (buffer-live-p proposal) (get-buffer-window-list proposal nil t)))
           (width (max 10 (- (apply #'min 74 (mapcar #'window-body-width windows)) 2)))
           (lines (mapcan (lambda (text) (tandem--wrap text width))
                          (append (tandem--get view :warnings) nil))))
      (dolist (buffer (list proposal (tandem--view-file view)))
        (when (buffer-live-p buffer)
          (with-current-buffer buffer
            (save-restriction
              (widen)
              (remove-overlays nil nil 'tandem-warnings t)
              (when lines
                (overlay-put
                 (tandem--overlay
                  (point-min) (point-min)
                  'before-string
                  (if (eq buffer proposal)
                      (propertize (concat (string-join lines "\n") "\n") 'face 'warning)
                    (propertize (make-string (length lines) ?\n) 'face 'tandem-filler)))
                 'tandem-warnings t)))))))))

(defun tandem--wrap (text width)
  "Return the lines of TEXT, none of which is wider than WIDTH."
  (mapcan (lambda (line) (seq-partition line width))
          (split-string (string-fill (tandem--visible text) width) "\n")))

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
        (seq-do (lambda (comment) (tandem--show-comment view comment is-file))
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

(defun tandem--show-comment (view comment is-file)
  "Show COMMENT on VIEW below its lines, or its space beside it.
The current buffer is the file's if IS-FILE."
  (let* ((on-file (equal (plist-get comment :side) "file"))
         (lines (plist-get comment :lines))
         (line (if lines (1+ (plist-get lines :last)) 0))
         (text (concat "  ; " (string-replace "\n" "\n  ; " (plist-get comment :text))))
         (shown (if (eq is-file on-file)
                    (concat (propertize text 'face 'tandem-comment) "\n")
                  (propertize (make-string (1+ (cl-count ?\n text)) ?\n) 'face 'tandem-filler))))
    (goto-char (point-min))
    (forward-line (if (eq is-file on-file) line (tandem--other-line view line on-file)))
    (if (bolp)
        (tandem--overlay (point) (point) 'before-string shown)
      (tandem--overlay (point) (point) 'after-string (concat "\n" (substring shown 0 -1))))))

(defun tandem--other-line (view line from-file)
  "Return the line beside LINE on VIEW's other side.
LINE is the file's if FROM-FILE."
  (let ((shift 0) (limit most-positive-fixnum))
    (pcase-dolist (`(,old ,old-count ,new ,new-count) (tandem--view-changes view))
      (let ((start (if from-file old new))
            (end (if from-file (+ old old-count) (+ new new-count)))
            (other (if from-file (+ new new-count) (+ old old-count))))
        (cond ((<= end line) (setq shift (- other end)))
              ((< start line) (setq limit other)))))
    (min (+ line shift) limit)))

(defun tandem--scrolled (window start)
  "Scroll the other side of a review with WINDOW, which will begin at START."
  (let* ((here (window-buffer window))
         (view (buffer-local-value 'tandem--view here))
         (in-file (and view (eq here (tandem--view-file view))))
         (there (and view (if in-file (tandem--view-proposal view) (tandem--view-file view))))
         (other (and (eq window (selected-window)) (buffer-live-p there) (get-buffer-window there))))
    (when other
      (let ((line (with-current-buffer here (1- (line-number-at-pos start t)))))
        (with-current-buffer there
          (save-excursion
            (goto-char (point-min))
            (forward-line (tandem--other-line view line in-file))
            (run-with-timer 0 nil #'set-window-start other (point))))))))

(defun tandem--comment-at (view side line)
  "Return the comment on LINE of this SIDE of VIEW, or nil."
  (seq-find (lambda (comment)
              (let ((lines (plist-get comment :lines)))
                (and lines (equal (plist-get comment :side) side)
                     (<= (plist-get lines :first) line (plist-get lines :last)))))
            (tandem--get view :comments)))

;;; Commands on a review

(defun tandem--pending ()
  "Return the views of the pending reviews."
  (cl-remove-if #'tandem--view-ended (hash-table-values tandem--views)))

(defun tandem--current ()
  "Return the view that a command is about; ask if that is not clear."
  (or tandem--view
      (and (derived-mode-p 'tandem-reviews-mode) (tabulated-list-get-id)
           (or (gethash (tabulated-list-get-id) tandem--views)
               (user-error "The review on this line is not open; RET opens it")))
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
    ;; Only reviews may be in the frame: then the windows from before them count.
    (let ((shown (cl-find-if #'tandem--restorable-p (hash-table-values tandem--views))))
      (setf (tandem--view-windows view)
            (if shown (tandem--view-windows shown)
              (list (selected-frame) (current-window-configuration)))))
    (select-window (tandem--main-window))
    (delete-other-windows)
    (set-window-dedicated-p nil nil)
    ;; A window that is too small for both shows the proposal.
    (when-let* ((other (ignore-errors
                         (split-window nil nil (if (< (window-width) 100) 'below 'right)))))
      (switch-to-buffer file nil t)
      (select-window other))
    (switch-to-buffer proposal nil t)
    (tandem--show-warnings view)
    (when (and (bobp) (tandem--view-changes view))
      (tandem--show-change view (car (tandem--view-changes view))))))

(defun tandem--main-window ()
  "Return the first window of this frame that is no side window."
  (let ((window (window-main-window)))
    (while (window-child window) (setq window (window-child window)))
    window))

(defun tandem--restorable-p (view)
  "Return non-nil if VIEW, and except for side windows only it, is in this frame."
  (and (tandem--view-windows view)
       (eq (selected-frame) (car (tandem--view-windows view)))
       (let ((shown (cl-loop for window in (window-list nil 'nomini)
                             unless (window-parameter window 'window-side)
                             collect (window-buffer window))))
         (and (memq (tandem--view-proposal view) shown)
              (null (cl-set-difference shown (list (tandem--view-proposal view)
                                                   (tandem--view-file view))))))))

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

(defun tandem--call (view method &optional more then)
  "Send the edits of VIEW, then call METHOD for its review with MORE parameters.
Call THEN with the result."
  (tandem--flush view)
  (tandem--request method `(:id ,(tandem--get view :id) ,@more) then))

(defun tandem-accept (&optional overwrites)
  "Accept the text of this review; its agent then writes it.
With a prefix argument, OVERWRITES a file that changed on the same lines."
  (interactive "P")
  (let* ((view (tandem--current)) (name (tandem--name view)))
    (tandem--proposal-buffer view)
    (tandem--send-text view 'review/accept (and overwrites '(:overwrites t))
                       (lambda (_) (message "Accepted %s" name)))))

(defun tandem-reject ()
  "Reject this review."
  (interactive)
  (let* ((view (tandem--current)) (name (tandem--name view)))
    (tandem--call view 'review/reject nil (lambda (_) (message "Rejected %s" name)))))

(defun tandem-reject-with-feedback (text)
  "Reject this review, and send your comments and TEXT to its agent."
  (interactive (list (read-string "Feedback on the whole proposal: ")))
  (tandem--call (tandem--current) 'review/feedback
                `(:rejects t ,@(unless (string-empty-p text) `(:text ,(tandem--text text))))
                (lambda (result)
                  (when (equal (plist-get result :delivery) "clipboard")
                    (kill-new (plist-get result :text)))
                  (message "%s" (plist-get result :note)))))

(defun tandem-merge ()
  "Merge later edits of the file into this proposal, and mark conflicts."
  (interactive)
  (tandem--call (tandem--current) 'review/merge '(:marksConflicts t)
                (lambda (result)
                  (message "%s" (or (plist-get result :note) "The file has no new changes")))))

(defun tandem--subject ()
  "Return the review that an action is about.
On a line of the list it may be one that is not pending."
  (let ((summary (and (derived-mode-p 'tandem-reviews-mode)
                      (cdr (assoc (tabulated-list-get-id) tandem--summaries)))))
    (if (plist-get summary :group) summary (tandem--view-review (tandem--current)))))

(defun tandem-action (action)
  "Do ACTION, which is one of the actions of this review."
  (interactive
   (let ((labels (mapcar (lambda (each) (cons (plist-get each :label) (plist-get each :id)))
                         (plist-get (tandem--subject) :actions)))
         (completion-ignore-case t))
     (list (cdr (assoc (completing-read "Action: " labels nil t) labels)))))
  (pcase action
    ("accept" (tandem-accept))
    ("reject" (tandem-reject))
    ((pred stringp)
     (let* ((id (plist-get (tandem--subject) :id))
            (view (gethash id tandem--views)))
       (when view (tandem--flush view))
       (tandem--request-asking 'review/run `(:id ,id :action ,action)
                               (lambda (result)
                                 (when-let* ((note (plist-get result :note))) (message "%s" note))
                                 (tandem--refresh-list)))))))

(defun tandem--line ()
  "Return the line of point, from 0."
  (1- (line-number-at-pos nil t)))

(defun tandem--hunk-at-point (view)
  "Return the number of VIEW's hunk at point, from 0."
  (let* ((line (tandem--line))
         (in-file (eq (current-buffer) (tandem--view-file view)))
         (change (cl-find-if (pcase-lambda (`(,_ ,_ ,new ,count))
                               (<= new line (+ new (max 0 (1- count)))))
                             (unless in-file (tandem--view-changes view))))
         ;; The lines of the file that are here.
         (first (cond (in-file line) (change (car change)) (t (tandem--other-line view line nil))))
         (last (+ first (if change (max 0 (1- (nth 1 change))) 0))))
    (or (cl-position-if (lambda (hunk)
                          (let* ((original (plist-get hunk :original))
                                 (start (plist-get original :start)))
                            (and (<= start last)
                                 (<= first (+ start (max 0 (1- (plist-get original :count))))))))
                        (tandem--get view :hunks))
        (user-error "No change at point"))))

(defun tandem--read-hunk (view is-kept)
  "Return the number of a hunk of VIEW that IS-KEPT; ask if there are several."
  (let ((choices (cl-loop
                  for hunk across (tandem--get view :hunks) for number from 0
                  for original = (plist-get hunk :original)
                  when (eq is-kept (tandem--true-p (plist-get hunk :isKept)))
                  collect (cons (format "line %d: -%d +%d" (1+ (plist-get original :start))
                                        (plist-get original :count)
                                        (plist-get (plist-get hunk :proposed) :count))
                                number))))
    (cond ((null choices) (user-error "No change to %s" (if is-kept "drop" "keep")))
          ((cdr choices) (cdr (assoc (completing-read "Change: " choices nil t) choices)))
          (t (cdar choices)))))

(defun tandem--set-hunk (is-kept)
  "Keep or drop the hunk at point, which IS-KEPT; in the list, one that is."
  (let* ((view (tandem--current))
         (hunk (if (derived-mode-p 'tandem-reviews-mode)
                   (tandem--read-hunk view is-kept)
                 ;; After edits, other lines are at point.
                 (tandem--flush view)
                 (with-current-buffer (if tandem--view (current-buffer) (tandem--proposal-buffer view))
                   (tandem--hunk-at-point view)))))
    (tandem--call view 'review/hunk `(:hunk ,hunk :isKept ,(tandem--json-bool (not is-kept))))))

(defun tandem-drop-hunk ()
  "Use the file's own lines for the hunk at point.
In the list of reviews, ask for the hunk if there are several."
  (interactive)
  (tandem--set-hunk t))

(defun tandem-keep-hunk ()
  "Use the proposed lines for the hunk at point, after it was dropped.
In the list of reviews, ask for the hunk if several were dropped."
  (interactive)
  (tandem--set-hunk nil))

(defun tandem--show-change (view change)
  "Go to CHANGE in the windows that show VIEW; scroll them only if necessary."
  (let (windows)
    (pcase-dolist (`(,buffer . ,line) `((,(tandem--view-file view) . ,(nth 0 change))
                                        (,(tandem--view-proposal view) . ,(nth 2 change))))
      (when (buffer-live-p buffer)
        (with-current-buffer buffer
          (widen)
          (goto-char (point-min))
          (forward-line line)
          (dolist (window (get-buffer-window-list buffer nil t))
            (set-window-point window (point))
            (push window windows)))))
    (unless (cl-every (lambda (window) (pos-visible-in-window-p (window-point window) window))
                      windows)
      (dolist (window windows)
        (with-selected-window window (recenter (/ (window-body-height) 3)))))))

(defun tandem--move (is-there pick)
  "Go to the change that PICK chooses among those that satisfy IS-THERE.
It is called with the line of point and that of a change."
  (let* ((view (tandem--current))
         (in-file (eq (current-buffer) (tandem--view-file view)))
         (line (with-current-buffer (if in-file (current-buffer) (tandem--proposal-buffer view))
                 (tandem--flush view)
                 (tandem--line)))
         (found (cl-remove-if-not
                 (lambda (change) (funcall is-there line (nth (if in-file 0 2) change)))
                 (tandem--view-changes view))))
    (tandem--show-change view (or (funcall pick found) (user-error "No more changes")))))

(defun tandem-next-hunk ()
  "Go to the next change of this review, on both sides."
  (interactive)
  (tandem--move #'< #'car))

(defun tandem-previous-hunk ()
  "Go to the previous change of this review, on both sides."
  (interactive)
  (tandem--move #'> (lambda (changes) (car (last changes)))))

(defun tandem--region-lines ()
  "Return the first and the last line of the region, or the line of point, from 0."
  (if (use-region-p)
      `( :first ,(1- (line-number-at-pos (region-beginning) t))
         :last ,(1- (line-number-at-pos (max (region-beginning) (1- (region-end))) t)))
    `(:first ,(tandem--line) :last ,(tandem--line))))

(defun tandem-comment (whole)
  "Comment on the lines of the region or on this line.
With a prefix argument, or outside of the view, on the WHOLE change.  On a line
that has a comment, change that comment; an empty text removes it."
  (interactive "P")
  (let* ((view (tandem--current))
         (lines (and tandem--view (not whole) (tandem--region-lines)))
         (side (if (eq (current-buffer) (tandem--view-file view)) "file" "proposal"))
         (old (and lines (tandem--comment-at view side (plist-get lines :first))))
         (text (tandem--text (read-string (if old "Change the comment: " "Comment: ")
                                          (plist-get old :text)))))
    (when (and (null old) (string-empty-p text)) (user-error "Nothing to comment"))
    (if (string-empty-p text)
        (tandem--call view 'review/removeComment `(:comment ,(plist-get old :id)))
      (tandem--call view (if old 'review/editComment 'review/comment)
                    `( :text ,text
                       ,@(cond (old `(:comment ,(plist-get old :id)))
                               (lines `(:side ,side :lines ,lines))))))
    (deactivate-mark)))

(defun tandem-ediff ()
  "Compare the file and the proposal of this review with ediff, in this frame."
  (interactive)
  (require 'ediff)
  (let* ((view (tandem--current))
         (ediff-window-setup-function 'ediff-setup-windows-plain)
         (ediff-split-window-function #'split-window-horizontally))
    (ediff-buffers (tandem--file-buffer view) (tandem--proposal-buffer view)
                   (list (lambda ()
                           (setq-local ediff-window-setup-function 'ediff-setup-windows-plain
                                       ediff-split-window-function #'split-window-horizontally)
                           (setf (tandem--view-ediff view) (current-buffer)))))))

(defun tandem--quit-ediff (view)
  "End the ediff session of VIEW."
  (when (buffer-live-p (tandem--view-ediff view))
    (with-current-buffer (tandem--view-ediff view)
      (ignore-errors (ediff-really-quit nil)))))

;;; The list of reviews

(defvar tandem-reviews-mode-map
  (tandem--keymap "RET" #'tandem-open "SPC" #'tandem-peek "a" #'tandem-accept "k" #'tandem-reject
                  "f" #'tandem-reject-with-feedback "c" #'tandem-comment "e" #'tandem-ediff
                  "d" #'tandem-drop-hunk "u" #'tandem-keep-hunk
                  "A" #'tandem-accept-session "K" #'tandem-reject-session
                  "w" #'tandem-apply "x" #'tandem-discard "o" #'tandem-action
                  "=" #'tandem-changes)
  "Keymap of `tandem-reviews-mode'.")

(define-derived-mode tandem-reviews-mode tabulated-list-mode "Reviews"
  "List of the pending and the interrupted reviews.
\\{tandem-reviews-mode-map}"
  (setq tabulated-list-printer #'tandem--print-entry
        ;; Nothing is cut at the edge of the window.
        truncate-lines nil
        word-wrap t)
  (setq-local revert-buffer-function #'tandem--refresh-list)
  (tandem--size-list nil))

(defun tandem--size-list (entries)
  "Make the columns of the list wide enough for ENTRIES."
  (let ((width (cl-loop for (_ columns) in entries maximize (string-width (aref columns 1)))))
    (setq tabulated-list-format
          (vector '("Agent" 13 t) (list "File" (max 30 (or width 0)) t) '("State" 11 t)
                  '("Lines" 8 nil) '("Notes" 0 nil)))
    (tabulated-list-init-header)))

(defun tandem--print-entry (id columns)
  "Print the line with ID and COLUMNS; each warning below it, on a line of its own."
  (let ((start (point)))
    (tabulated-list-print-entry id columns)
    (dolist (note (append (plist-get (cdr (assoc id tandem--summaries)) :notes) nil))
      (when (tandem--true-p (plist-get note :isWarning))
        (insert "    " (propertize (tandem--visible (plist-get note :text)) 'face 'warning) "\n")))
    (put-text-property start (point) 'tabulated-list-id id)))

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
           (tandem--size-list tabulated-list-entries)
           (tandem--print-list)))))))

(defun tandem--print-list ()
  "Print the list of reviews.  Its windows stay on their reviews."
  (let ((places (mapcar (lambda (window)
                          (cons window (tabulated-list-get-id (window-point window))))
                        (get-buffer-window-list nil nil t))))
    (tabulated-list-print t)
    (save-excursion
      (pcase-dolist (`(,window . ,id) places)
        (goto-char (point-min))
        (while (not (or (eobp) (equal (tabulated-list-get-id) id))) (forward-line))
        (unless (eobp) (set-window-point window (point)))))))

(defun tandem--entry (pair)
  "Return the line of the list for PAIR, an id and a summary."
  (let* ((review (cdr pair))
         (comments (or (plist-get review :comments) 0)))
    (list (car pair)
          (vector (tandem--agent-name (plist-get review :agent))
                  (tandem--short-name (plist-get review :path))
                  (downcase (or (plist-get (plist-get review :group) :label)
                                (plist-get review :state)))
                  (format "+%s -%s" (plist-get review :added) (plist-get review :removed))
                  (string-join
                   (delq nil (list (plist-get (plist-get review :end) :label)
                                   (and (tandem--true-p (plist-get review :isNewFile)) "new file")
                                   (and (tandem--true-p (plist-get review :isEdited)) "edited")
                                   (and (> comments 0) (tandem--count comments "comment"))))
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
    (tandem--visible
     (tandem--literally
       (if folder (file-relative-name path folder) (abbreviate-file-name path))))))

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
          ((plist-get summary :group)
           (tandem--request 'review/read `(:id ,id) #'tandem--look-at))
          (t (setq tandem--wanted id)
             (tandem--request 'review/show `(:id ,id))))))

(defun tandem--look-at (result)
  "Show the review in RESULT, which is not pending, as a diff of its file."
  (let* ((review (plist-get result :review))
         (name (format "*tandem interrupted: %s*" (tandem--base-name (plist-get review :path))))
         (coding-system-for-write 'utf-8-unix)
         (coding-system-for-read 'utf-8-unix)
         (sides (mapcar (lambda (text)
                          (with-current-buffer (generate-new-buffer " *tandem side*")
                            (insert (or text ""))
                            (current-buffer)))
                        (list (plist-get (plist-get review :original) :text)
                              (plist-get review :content)))))
    (pop-to-buffer (diff-no-select (car sides) (cadr sides) "-u" t (get-buffer-create name)))
    (setq-local diff-font-lock-syntax nil)
    (mapc #'kill-buffer sides)
    (message "%s  In the list, %s: %s"
             (string-join (plist-get review :warnings) " ")
             (substitute-command-keys "\\<tandem-reviews-mode-map>\\[tandem-action]")
             (mapconcat (lambda (each) (plist-get each :label)) (plist-get review :actions) ", "))))

(defun tandem-peek ()
  "Show the review on this line in another window; then its next change."
  (interactive)
  (let* ((view (tandem--current))
         (buffer (tandem--proposal-buffer view)))
    (if (get-buffer-window buffer)
        (tandem-next-hunk)
      (tandem--display buffer)
      (when (tandem--view-changes view)
        (tandem--show-change view (car (tandem--view-changes view)))))))

(defun tandem-apply (&optional marks-conflicts)
  "Write the interrupted review on this line to its file.
With a prefix argument, MARKS-CONFLICTS with what changed there since."
  (interactive "P")
  (let ((summary (tandem--summary)))
    (tandem--request-asking
     'review/apply `( :id ,(plist-get summary :id) ,@(and marks-conflicts '(:marksConflicts t)))
     (lambda (result)
       (message "%s" (plist-get result :note))
       (tandem--refresh-list)))))

(defun tandem-discard ()
  "Discard the interrupted review on this line, with your edits."
  (interactive)
  (tandem-action "discard"))

(defun tandem--decide-session (decision)
  "Ask, then decide all reviews of a session: DECISION is accept or reject."
  (let ((session (if (derived-mode-p 'tandem-reviews-mode)
                     (plist-get (tandem--summary) :session)
                   (tandem--get (tandem--current) :session))))
    (mapc #'tandem--flush (tandem--pending))
    (tandem--request-asking 'session/decide `(:session ,session :decision ,decision)
                            (lambda (result) (message "%s" (plist-get result :note))))))

(defun tandem-accept-session ()
  "Accept all pending reviews of the session of this one."
  (interactive)
  (tandem--decide-session "accept"))

(defun tandem-reject-session ()
  "Reject all pending reviews of the session of this one."
  (interactive)
  (tandem--decide-session "reject"))

;;; Changes

(defun tandem--show-output (mode &rest arguments)
  "Show in MODE what the command of Tandem prints for ARGUMENTS."
  (let ((folder (or (tandem--project-root default-directory t) default-directory)))
    (pop-to-buffer (format "*tandem %s*" (car arguments)))
    (funcall mode)
    (setq default-directory folder
          buffer-read-only t)
    ;; It would read the files that the text names, in any major mode.
    (setq-local diff-font-lock-syntax nil)
    (setq-local revert-buffer-function
                (lambda (&rest _) (apply #'tandem--show-output mode arguments)))
    (let ((inhibit-read-only t)) (erase-buffer))
    (make-process :name "tandem output" :buffer (current-buffer) :noquery t :connection-type 'pipe
                  :command (append (butlast tandem-command) arguments)
                  :sentinel (lambda (process _)
                              (when-let* ((window (get-buffer-window (process-buffer process))))
                                (set-window-point window 1))))))

(defun tandem--pid ()
  "Return the process of Tandem, for its command."
  (number-to-string (or (plist-get (plist-get tandem--ready :tandem) :pid)
                        (user-error "Tandem is not connected; see M-x tandem-mode"))))

(defun tandem-changes (&optional all)
  "Show what agents wrote and waits for you, by session and turn, as a diff.
With a prefix argument, show ALL that agents changed."
  (interactive "P")
  (apply #'tandem--show-output #'diff-mode "changes" "--companion" (tandem--pid)
         (and all '("--all"))))

;; Each overlay of what waits in a buffer has its hunk, and the shape of it.

(defface tandem-written '((t :inherit (font-lock-keyword-face)))
  "Face beside lines that an agent wrote."
  :group 'tandem)

(defvar tandem--waiting nil "The paths of files with changes that wait for the user.")

(defvar tandem--undone nil "The numbers of what brings the user's last undo back.")

(defvar-local tandem--has-margin nil "Whether the left margin of this buffer is for marks.")

(cl-defmethod tandem-handle ((_method (eql 'changes/changed)) params)
  "Mark what waits in the files of PARAMS."
  (tandem--set-waiting (append (plist-get params :paths) nil)))

(defun tandem--set-waiting (paths)
  "Mark what waits in the files at PATHS, and in no others."
  (setq tandem--waiting paths)
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'buffer-file-name buffer) (tandem--mark-written buffer)))
  (force-mode-line-update t))

(defun tandem--mark-written (&optional buffer)
  "Mark what waits in BUFFER or this one, unless it is not as its file."
  (let* ((buffer (or buffer (current-buffer)))
         (path (tandem--path buffer))
         (tick (buffer-chars-modified-tick buffer)))
    (if (not (and path tandem-mark-changes (member path tandem--waiting) (tandem--connected-p)))
        (tandem--unmark buffer)
      (tandem--request 'changes/hunks `(:path ,path)
                       (lambda (result)
                         ;; The marks of an edited buffer have moved with its lines.
                         (when (and (buffer-live-p buffer) (not (buffer-modified-p buffer))
                                    (= tick (buffer-chars-modified-tick buffer)))
                           (tandem--unmark buffer)
                           (seq-do (lambda (hunk) (tandem--mark buffer path hunk))
                                   (plist-get result :hunks))))
                       #'ignore))))

(defun tandem--unmark (buffer)
  "Show no change in BUFFER any more."
  (with-current-buffer buffer
    (save-restriction
      (widen)
      (remove-overlays (point-min) (point-max) 'tandem-written t))))

(defun tandem--mark (buffer path hunk)
  "Mark HUNK of the file at PATH in BUFFER."
  (with-current-buffer buffer
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (let* ((count (plist-get hunk :count))
               (start (plist-get hunk :start))
               (begin (progn (forward-line (if (= count 0) (max 0 (1- start)) start)) (point)))
               (end (progn (forward-line (max 1 count)) (point)))
               (overlay (make-overlay begin end)))
          (overlay-put overlay 'tandem-written t)
          (overlay-put overlay 'tandem-hunk `(:path ,path ,@hunk))
          (overlay-put overlay 'evaporate t)
          (tandem--mark-lines overlay begin end
                              (cond ((= count 0) "_")
                                    ((tandem--true-p (plist-get hunk :isUncertain)) "?")
                                    (t "|"))))))))

(defun tandem--mark-lines (overlay begin end text)
  "Show TEXT beside the lines of OVERLAY from BEGIN to END."
  (let ((mark (propertize text 'face 'tandem-written)))
    (unless tandem--has-margin
      (setq tandem--has-margin t
            left-margin-width (max 1 (or left-margin-width 0)))
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-buffer window (current-buffer))))
    (goto-char begin)
    (while (and (< (point) end) (not (eobp)))
      (let ((line (make-overlay (point) (point))))
        (overlay-put line 'tandem-written t)
        (overlay-put line 'before-string (propertize " " 'display `((margin left-margin) ,mark))))
      (forward-line))
    (when (= begin end)
      (overlay-put overlay 'before-string (propertize " " 'display `((margin left-margin) ,mark))))))

(defun tandem--written (&optional lines)
  "Return the overlays of what waits in this buffer, or only in LINES, in order."
  (save-restriction
    (widen)
    (let ((overlays (seq-filter (lambda (overlay) (overlay-get overlay 'tandem-hunk))
                                (overlays-in (point-min) (point-max)))))
      (when lines
        (setq overlays
              (seq-filter (lambda (overlay)
                            (and (<= (1- (line-number-at-pos (overlay-start overlay) t))
                                     (plist-get lines :last))
                                 (>= (1- (line-number-at-pos (max (overlay-start overlay)
                                                                  (1- (overlay-end overlay)))
                                                             t))
                                     (plist-get lines :first))))
                          overlays)))
      (sort overlays (lambda (one other) (< (overlay-start one) (overlay-start other)))))))

(defun tandem--written-here ()
  "Return the hunks at point or in the region, which are of one turn."
  (let* ((hunks (mapcar (lambda (overlay) (overlay-get overlay 'tandem-hunk))
                        (tandem--written (tandem--region-lines))))
         (groups (delete-dups (mapcar (lambda (hunk) (plist-get hunk :group)) hunks))))
    (cond ((null hunks) (user-error "No change waits in this line; see M-x tandem-changes"))
          ((cdr groups) (user-error "These lines have changes of several turns; choose those of one")))
    hunks))

(defun tandem--selection-of (hunks)
  "Return the parameters that select HUNKS of one file and group."
  (let ((first (car hunks)))
    `( :path ,(plist-get first :path) :group ,(plist-get first :group) :waits t
       :stamp ,(plist-get first :stamp)
       :hunks ,(vconcat (mapcar (lambda (hunk) (plist-get hunk :index)) hunks)))))

(defun tandem-next-change (&optional step)
  "Go to the next change that waits in this buffer; with STEP -1 to the previous."
  (interactive)
  (let* ((starts (mapcar #'overlay-start (tandem--written)))
         (starts (if (eql step -1) (nreverse starts) starts))
         (line (line-beginning-position)))
    (unless starts (user-error "No changes wait in this file"))
    (push-mark nil t)
    (goto-char (or (seq-find (lambda (start) (if (eql step -1) (< start line) (> start line))) starts)
                   (car starts)))))

(defun tandem-previous-change ()
  "Go to the previous change of this buffer that waits."
  (interactive)
  (tandem-next-change -1))

(defun tandem--describe-written (hunk)
  "Return whose HUNK is, how that is known, and its lines before."
  (let ((lines (append (plist-get hunk :removed) nil)))
    (string-join
     `(,@(mapcar #'tandem--visible (cons (plist-get hunk :label) (append (plist-get hunk :evidence) nil)))
       ,@(mapcar (lambda (line) (concat "-" (tandem--visible line))) (seq-take lines 20))
       ,@(when-let* ((more (- (plist-get hunk :removedCount) (min 20 (length lines))))
                     ((> more 0)))
           (list (format "  and %s before" (tandem--count more "more line")))))
     "\n")))

(defun tandem-show-change ()
  "Show whose the change at point is, how that is known, and the lines before it."
  (interactive)
  (message "%s" (mapconcat #'tandem--describe-written (tandem--written-here) "\n")))

(defun tandem-keep-change ()
  "Keep the change at point, or those in the region.  This writes nothing."
  (interactive)
  (tandem--keep (tandem--selection-of (tandem--written-here))))

(defun tandem--keep (selection)
  "Keep what SELECTION names."
  (tandem--request-asking 'changes/keep selection
                          (lambda (result) (message "%s" (tandem--visible (plist-get result :note))))))

(defun tandem-undo-change ()
  "Undo the change at point, or those in the region; what you wrote stays."
  (interactive)
  (let* ((hunks (tandem--written-here))
         (uncertain (seq-remove (lambda (hunk) (tandem--true-p (plist-get hunk :isCertain))) hunks)))
    (when (or (null uncertain)
              (tandem--confirm "Something else may have written these lines. Undo them?"
                               (mapcar #'tandem--describe-written uncertain)))
      (tandem--undo (tandem--selection-of hunks)))))

(defun tandem--confirm (message lines)
  "Show MESSAGE and LINES; return non-nil if the user types undo."
  (tandem--read-choice `( :message ,message :detail ,(string-join lines "\n")
                          :choices ((:label "undo")))))

(defun tandem--undo (selection)
  "Undo what SELECTION names."
  (tandem--request 'changes/restore selection
                   (lambda (files)
                     (when-let* ((ids (delq nil (mapcar (lambda (file) (plist-get file :restoration)) files))))
                       (setq tandem--undone ids))
                     (message "%s" (mapconcat #'tandem--restoration files "\n")))))

(defun tandem-redo ()
  "Take your last undo back."
  (interactive)
  (unless tandem--undone (user-error "No undo to take back"))
  (tandem--undo `(:ids ,(vconcat tandem--undone))))

(defun tandem-undo (path)
  "Undo what agents changed in the file at PATH, or in all files.
Later edits are kept."
  (interactive (list (tandem--read-changed-file "Undo" nil)))
  (when (yes-or-no-p (format "Undo the changes to %s? "
                             (if (string-empty-p path) "all files that agents changed" path)))
    (tandem--undo (if (string-empty-p path) '(:all t) `(:path ,path)))))

(define-obsolete-function-alias 'tandem-restore #'tandem-undo "0.2.0")

(defun tandem-keep (path)
  "Keep what waits in the file at PATH, or in all files."
  (interactive (list (tandem--read-changed-file "Keep" t)))
  (tandem--keep `( :waits t ,@(if (string-empty-p path) '(:all t) `(:path ,path)))))

(defun tandem-keep-turn (whole)
  "Keep what waits of a turn; with a prefix argument of its WHOLE session."
  (interactive "P")
  (tandem--with-turn whole #'tandem--keep))

(defun tandem-undo-turn (whole)
  "Undo what waits of a turn; with a prefix argument of its WHOLE session.
Show first what that does to each file."
  (interactive "P")
  (tandem--with-turn whole #'tandem--undo-asking))

(defun tandem--undo-asking (selection)
  "Undo what SELECTION names, once the user has seen what that does."
  (let ((files (seq-remove (lambda (file) (equal (plist-get file :kind) "nothing"))
                           (jsonrpc-request tandem--connection 'changes/restore
                                            `(,@selection :previews t)))))
    (unless files (user-error "Nothing to undo: the files no longer contain these changes"))
    (when (tandem--confirm (format "Undo the changes to %s?" (tandem--count (length files) "file"))
                           (seq-mapcat (lambda (file)
                                         (cons (tandem--restoration file)
                                               (mapcar #'tandem--visible (plist-get file :evidence))))
                                       files))
      (tandem--undo `(,@selection :isPartial t)))))

(defun tandem--with-turn (whole use)
  "Call USE with the selection of a turn that waits, or of its WHOLE session.
Take that of the change at point, otherwise the one that the user chooses."
  (let* ((here (mapcar (lambda (overlay) (overlay-get overlay 'tandem-hunk))
                       (tandem--written (tandem--region-lines))))
         (hunks (seq-remove (lambda (hunk) (tandem--true-p (plist-get hunk :isUncertain)))
                            (or here (tandem--all-written))))
         (turns (seq-uniq (mapcar (lambda (hunk) (cons (tandem--visible (plist-get hunk :label)) hunk)) hunks)
                          (lambda (one other) (equal (car one) (car other)))))
         (hunk (if (cdr turns)
                   (cdr (assoc (completing-read "Turn: " turns nil t) turns))
                 (cdar turns))))
    (unless hunk (user-error "No changes wait"))
    (funcall use `( :session ,(plist-get hunk :session) :waits t
                    ,@(and (not whole) (plist-get hunk :turn)
                           `(:turn ,(plist-get (plist-get hunk :turn) :number)))))))

(defun tandem--all-written ()
  "Return the hunks of at most 500 files that wait."
  (seq-mapcat (lambda (path)
                (append (plist-get (jsonrpc-request tandem--connection 'changes/hunks `(:path ,path)) :hunks)
                        nil))
              (seq-take tandem--waiting 500)))

(defun tandem--read-changed-file (verb waits)
  "Read the path of a file that agents changed, to VERB it.
With WAITS, offer only those that wait for the user.
Show with each how many lines of its changes still stand."
  (let* ((files (mapcar (lambda (file) (cons (plist-get file :path) file))
                        (jsonrpc-request tandem--connection 'changes/list
                                         (if waits '(:waits t) tandem--none))))
         (completion-extra-properties
          (list :annotation-function
                (lambda (path) (tandem--changed-lines (cdr (assoc path files)))))))
    (completing-read (concat verb " (empty: all files): ") files nil t)))

(defun tandem--changed-lines (file)
  "Return how many changed lines of FILE still stand, and what is not known."
  (mapconcat (lambda (words) (concat "  " words))
             (cons (if (eq (plist-get file :isAbsent) t) "no net change"
                     (format "+%d -%d" (plist-get file :added) (plist-get file :removed)))
                   (append (plist-get file :notes) nil))
             ""))

(defun tandem--restoration (file)
  "Return what a restoration did to FILE, as a sentence."
  (concat (tandem--short-name (plist-get file :path)) " " (plist-get file :note)))

;;; The rest

(defun tandem-mention ()
  "Mention this file, or the lines of the region, to the agents."
  (interactive)
  (let ((path (or (tandem--path (current-buffer)) (user-error "This buffer has no file"))))
    (tandem--send-context)
    (tandem--request 'mention `( :path ,path
                                 ,@(and (use-region-p) `(:lines ,(tandem--region-lines))))
                     (lambda (result)
                       (let ((count (plist-get result :count)))
                         (message "%s" (if (= count 0) "No connected agent supports mentions"
                                         (concat "Mentioned to " (tandem--count count "agent")))))))))

(defun tandem-pause-sharing ()
  "Hide files and selections from agents until `tandem-resume-sharing'."
  (interactive)
  (tandem--request 'share/pause tandem--none (lambda (_) (message "Sharing is paused"))))

(defun tandem-resume-sharing ()
  "Show agents again what you work on."
  (interactive)
  (tandem--request 'share/resume tandem--none (lambda (_) (message "Sharing is resumed"))))

(defun tandem-status ()
  "Show which agents are connected, and what they see."
  (interactive)
  (tandem--show-output #'special-mode "status"))

(defun tandem-doctor ()
  "Check how agents connect, and show what to do about problems."
  (interactive)
  (tandem--show-output #'special-mode "doctor"))

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
  (let ((pending (length (tandem--pending))))
    (concat " Tandem"
            (cond (tandem--conflict (propertize "[changed on disk]" 'face 'error))
                  ((null tandem--ready) "[-]")
                  ((> pending 0)
                   (propertize (format "[%d]" pending)
                               'face 'warning 'mouse-face 'mode-line-highlight
                               'help-echo "Pending reviews; mouse-1 lists them"
                               'local-map (make-mode-line-mouse-map 'mouse-1 #'tandem-reviews)))
                  ((tandem--true-p (plist-get tandem--status :isPaused)) "[paused]")
                  (tandem--waiting
                   (propertize (format "[%s to review]" (tandem--count (length tandem--waiting) "file"))
                               'help-echo "What agents wrote: M-x tandem-changes"))))))

(defvar tandem-command-map
  (tandem--keymap "l" #'tandem-reviews "v" #'tandem-review "a" #'tandem-accept "k" #'tandem-reject
                  "f" #'tandem-reject-with-feedback "n" #'tandem-next-hunk "p" #'tandem-previous-hunk
                  "d" #'tandem-drop-hunk "u" #'tandem-keep-hunk "c" #'tandem-comment
                  "e" #'tandem-ediff "m" #'tandem-mention "=" #'tandem-changes "z" #'tandem-undo
                  "N" #'tandem-next-change "B" #'tandem-previous-change "." #'tandem-show-change
                  "K" #'tandem-keep-change "U" #'tandem-undo-change "Z" #'tandem-redo
                  "r" #'tandem-run-agent "s" #'tandem-status "P" #'tandem-pause-sharing
                  "R" #'tandem-resume-sharing "?" #'tandem-doctor)
  "Keymap of Tandem's commands, for you to bind to a prefix key.")
(fset 'tandem-command-map tandem-command-map)

(defconst tandem--hooks
  '(post-command-hook find-file-hook kill-buffer-hook after-save-hook after-revert-hook
    window-selection-change-functions window-buffer-change-functions)
  "The hooks after which the context may be another one.")

(defconst tandem--mark-hooks '(find-file-hook after-save-hook after-revert-hook)
  "The hooks after which a buffer is as its file.")

;;;###autoload
(define-minor-mode tandem-mode
  "Connect coding agents with this Emacs."
  :global t
  :lighter (:eval (tandem-mode-line))
  (cond (tandem-mode
         (setq tandem--failures 0)
         (unless tandem--connection (tandem--connect))
         (dolist (hook tandem--hooks) (add-hook hook #'tandem--schedule))
         (add-hook 'find-file-hook #'tandem--forget-roots)
         (add-hook 'after-save-hook #'tandem--saved)
         (dolist (hook tandem--mark-hooks) (add-hook hook #'tandem--mark-written))
         (add-hook 'kill-emacs-hook #'tandem--shut-down)
         (add-hook 'flycheck-after-syntax-check-hook #'tandem--diagnosed)
         ;; Flymake has no hook for this.
         (advice-add 'flymake--handle-report :after #'tandem--diagnosed))
        (t
         (dolist (hook tandem--hooks) (remove-hook hook #'tandem--schedule))
         (remove-hook 'find-file-hook #'tandem--forget-roots)
         (remove-hook 'after-save-hook #'tandem--saved)
         (dolist (hook tandem--mark-hooks) (remove-hook hook #'tandem--mark-written))
         (remove-hook 'kill-emacs-hook #'tandem--shut-down)
         (remove-hook 'flycheck-after-syntax-check-hook #'tandem--diagnosed)
         (advice-remove 'flymake--handle-report #'tandem--diagnosed)
         (tandem--shut-down)
         (mapc #'tandem--end (hash-table-values tandem--views)))))

(provide 'tandem)
;;; tandem.el ends here
