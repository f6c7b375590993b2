/** What the desktop shell's preload offers to the page. */
export interface DesktopShell {
  readonly shell: 'electron'
  /** Asks for a port; it arrives as a `sidestage:port` message on this window. */
  connect(): void
  minimize(): void
  toggleMaximize(): void
  close(): void
}

/** Type of the message that carries the desktop shell's port. */
export const portMessage = 'sidestage:port'
