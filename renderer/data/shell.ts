import { joinedOf } from './joined-address.ts'

/** `full`: too many are open; `blocked` by the browser; `refused` by the app. */
export type PopOutAnswer = 'opened' | 'full' | 'blocked' | 'refused'

/** Offered by the desktop shell's preload. */
export interface DesktopShell {
  readonly shell: 'electron'
  /** The port comes in a `sidestage:port` message; `joined`: id of a joined room. */
  connect(joined?: string): void
  minimize(): void
  toggleMaximize(): void
  close(): void
  /** Keeps a room's own window above all others, if the shell can `stayOnTop`. */
  pin(): void
  unpin(): void
  /** Against screen recordings, until `unshield`. */
  shield(): void
  unshield(): void
  popOut(room: {
    readonly roomid: number
    readonly profileId: string
    readonly joined: string | null
  }): Promise<PopOutAnswer>
}

/** The message has the desktop shell's port. */
export const portMessage = 'sidestage:port'

/** Shows a room in its own window, or brings that to the front. */
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
