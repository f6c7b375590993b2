/** What came of asking for a room's own window: `full` when too many are open, `blocked` by the browser's settings, `refused` by the app. */
export type PopOutAnswer = 'opened' | 'full' | 'blocked' | 'refused'

/** What the desktop shell's preload offers to the page. */
export interface DesktopShell {
  readonly shell: 'electron'
  /** Asks for a port; it arrives as a `sidestage:port` message on this window. */
  connect(): void
  minimize(): void
  toggleMaximize(): void
  close(): void
  /** Keeps this window above all others, where it is a room's own and the shell has `stayOnTop`. */
  pin(): void
  /** Lets other windows cover it again. */
  unpin(): void
  /** Keeps this window out of recordings of the screen, until `unshield`. */
  shield(): void
  unshield(): void
  popOut(roomid: number): Promise<PopOutAnswer>
}

/** Type of the message that carries the desktop shell's port. */
export const portMessage = 'sidestage:port'

/** Shows a room of a profile in a window of its own, or brings the one that it has to the front. Only the desktop shell keeps it above others. */
export async function popOut(page: Pick<Window, 'sidestage' | 'open' | 'location'>, roomid: number, profileId: string): Promise<PopOutAnswer> {
  if (page.sidestage) return page.sidestage.popOut(roomid)
  const { pathname, search } = page.location
  const profile = encodeURIComponent(profileId)
  const opened = page.open(`${pathname}${search}#/pop-out/room/${roomid}/${profile}`, `sidestage-room-${profile}-${roomid}`, 'popup,width=420,height=720')
  opened?.focus()
  return opened ? 'opened' : 'blocked'
}
