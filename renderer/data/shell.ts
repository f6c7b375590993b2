import { joinedOf } from './joined-address.ts'

/** Result of a pop-out: `full` when too many are open, `blocked` by the browser's settings, `refused` by the app. */
export type PopOutAnswer = 'opened' | 'full' | 'blocked' | 'refused'

/** What the desktop shell's preload offers to the page. */
export interface DesktopShell {
  readonly shell: 'electron'
  /** Asks for a port, to the companion or to the computer of a joined room; it arrives as a `sidestage:port` message on this window. */
  connect(joined?: string): void
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
  popOut(room: {
    readonly roomid: number
    readonly profileId: string
    readonly joined: string | null
  }): Promise<PopOutAnswer>
}

/** Type of the message that carries the desktop shell's port. */
export const portMessage = 'sidestage:port'

/** Shows a room in a window of its own, or brings that one to the front. */
export async function popOut(
  page: Pick<Window, 'sidestage' | 'open' | 'location'>,
  roomid: number,
  profileId: string,
): Promise<PopOutAnswer> {
  const { pathname, search } = page.location
  const joined = joinedOf(search)
  if (page.sidestage) return page.sidestage.popOut({ roomid, profileId, joined })
  const profile = encodeURIComponent(profileId)
  const opened = page.open(
    `${pathname}${search}#/pop-out/room/${roomid}/${profile}`,
    `sidestage-room-${joined === null ? '' : `${joined}-`}${profile}-${roomid}`,
    'popup,width=420,height=720',
  )
  opened?.focus()
  return opened ? 'opened' : 'blocked'
}
