import type { ViewerChat } from '../../contract/rpc/rooms.ts'
import { createKeyedSerial } from '../../platform/serial.ts'
import { readChannel } from '../channels/channel-list.ts'
import { Failure } from '../failure.ts'
import type { Messaging } from '../messaging/messaging.ts'
import type { PartPorts } from '../part-ports.ts'
import type { PanelSets } from './panel-sets.ts'
import type { RoomActs } from './room-acts.ts'
import type { RoomDirectory } from './room-directory.ts'

interface OfChannel {
  readonly profileId: string
  readonly cid: string
}

const maxAccid = 32

/**
 * The account in whose name the app makes and leads a channel's room. It follows from the channel alone, so that a room
 * whose making was cut short is found by its creator.
 */
export const hostOf = (cid: string): string =>
  `host.${cid.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`.slice(0, maxAccid)

/** Whether an account is one of these. */
export const isHost = (accid: string): boolean => /^host\.[a-z0-9]{27}$/.test(accid)

const hasCode = (error: unknown, code: number): boolean => error instanceof Failure && error.data.code === code

/**
 * Chat for viewers of a channel as one switch: on is a linked room that is open, off one that is closed, or none.
 * What was done of a switch that was cut short is found again by the next one (decisions/042-chat-in-one-switch.md).
 * Throws Failure.
 */
export function createViewerChat(
  ports: Pick<PartPorts, 'client'> & {
    readonly directory: Pick<RoomDirectory, 'read' | 'linked' | 'link' | 'create' | 'ofCreator'>
    readonly acts: Pick<RoomActs, 'act'>
    readonly panels: Pick<PanelSets, 'find'>
    readonly accounts: Pick<Messaging, 'ownAccount'>
  },
) {
  const { client, directory, acts, panels, accounts } = ports
  const turns = createKeyedSerial<string>()

  const read = async ({ profileId, cid }: OfChannel): Promise<ViewerChat> => {
    const { roomid } = await directory.linked({ profileId, cid })
    const none = { on: false, roomid: null, people: 0 }
    if (roomid === null) return none
    try {
      const { valid, onlineusercount = 0 } = await directory.read(profileId, roomid, true)
      const panel = panels.find(profileId, roomid)
      const own = panel?.phase === 'inside' ? 1 : 0
      return { on: valid, roomid, people: Math.max(0, onlineusercount - own - (panel?.counts?.robots ?? 0)) }
    } catch (error) {
      // A link that is kept here may be to a room that a hosted service no longer has.
      if (hasCode(error, 404)) return none
      throw error
    }
  }
  const setOpen = async (profileId: string, roomid: number, on: boolean): Promise<void> => {
    try {
      await acts.act({ profileId, roomid, measure: { kind: 'openRoom', on }, why: '' })
    } catch (error) {
      // It is so already: somebody else was faster.
      if (!hasCode(error, 417)) throw error
    }
  }
  /** The room of the channel's own host, made or completed. */
  const makeRoom = async ({ profileId, cid }: OfChannel): Promise<number> => {
    const channel = await readChannel(await client(profileId), cid)
    if (!channel) throw new Failure('absent', 'no such channel')
    const host = hostOf(cid)
    const isNew = await accounts.ownAccount(profileId, host, channel.name)
    const begun = isNew ? undefined : await directory.ofCreator(profileId, host, cid)
    const made = begun ?? (await directory.create({ profileId, accid: host, name: channel.name, announcement: '' }))
    // Another app of this service may have made one in the same moment: the oldest stays.
    const { roomid } = (await directory.ofCreator(profileId, host, cid)) ?? made
    if (roomid !== made.roomid) await setOpen(profileId, made.roomid, false)
    await directory.link(profileId, cid, roomid)
    return roomid
  }

  return {
    chat: read,
    switchChat: ({ on, ...of }: OfChannel & { readonly on: boolean }): Promise<ViewerChat> =>
      turns(`${of.profileId} ${of.cid}`, async () => {
        const before = await read(of)
        if (before.on === on) return before
        if (!on) await setOpen(of.profileId, before.roomid!, false)
        else {
          const roomid = before.roomid ?? (await makeRoom(of))
          // A room that was found again may be closed.
          if (!(await directory.read(of.profileId, roomid, false)).valid) await setOpen(of.profileId, roomid, true)
        }
        return read(of)
      }),
  }
}
