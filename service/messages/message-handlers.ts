import type { ClientKind } from '../../contract/callbacks/copy-builders.ts'
import { Refused } from '../refusal.ts'
import type { LinkCaller, LinkHandlers } from '../link/handlers.ts'
import type { History } from '../stream/history.ts'
import type { Peer } from '../stream/conversation.ts'
import type { Unread } from '../stream/unread.ts'
import { readAccid, type Scene } from './recipient.ts'
import type { RecallRequest } from './recall.ts'
import type { Sender } from './sender.ts'
import type { SenderTeams } from './sources.ts'

/** What the link's requests on messages use. */
export interface MessageHandlersOptions {
  readonly sender: Sender
  readonly recall: (request: RecallRequest) => Promise<void>
  readonly stream: Pick<History, 'history'> & Unread
  readonly teams: Pick<SenderTeams, 'find'>
  /** Sends a push outside of the stream to an account's sessions. */
  readonly tell: (uid: number, accid: string, push: object) => void
}

/** Link requests on messages, with the sender, recall and history of the operations. */
export function messageHandlers(
  options: MessageHandlersOptions,
): Pick<LinkHandlers, 'send' | 'notify' | 'recall' | 'read' | 'unread' | 'history'> {
  const { sender, recall, stream, teams, tell } = options
  const sending = ({ uid, accid, device, clientType, session }: LinkCaller) => ({
    uid,
    from: accid,
    clientType: clientType as ClientKind,
    device,
    session,
  })
  const sceneOf = (written: string): Scene => (written === 'team' ? 'team' : 'p2p')
  const peerOf = (uid: number, accid: string, scene: string, written: string): { peer: Peer; since?: number } => {
    if (sceneOf(scene) === 'p2p') {
      const other = readAccid(written)
      if (other === undefined) throw new Refused(414, 'with is not an account')
      return { peer: { scene: 'p2p', accid: other } }
    }
    const team = teams.find(uid, written)
    if (!team) throw new Refused(414, 'no such team', 'missing')
    const member = team.members.get(accid)
    if (!member) throw new Refused(403, `${accid} is not in the team`)
    return { peer: { scene: 'team', tid: team.row.tid }, since: member.since }
  }
  const named = (peer: Peer): string => (peer.scene === 'team' ? String(peer.tid) : peer.accid)

  return {
    send: ({ scene, ...rest }, caller) => sender.send({ ...sending(caller), ...rest, scene: sceneOf(scene) }),
    notify: ({ scene, save, ...rest }, caller) =>
      sender.notify({ ...sending(caller), ...rest, scene: sceneOf(scene), stored: save === 2 }),
    async recall({ scene, ...rest }, { uid, accid, session }) {
      await recall({ uid, from: accid, session, scene: sceneOf(scene), ...rest })
      return {}
    },
    async read({ scene, with: other, upTo }, { uid, accid }) {
      const { peer } = peerOf(uid, accid, scene, other)
      const { unread, total } = await stream.read(uid, accid, peer, upTo)
      tell(uid, accid, { t: 'unread', scene: peer.scene, with: named(peer), unread, total })
      return { unread, total }
    },
    async unread(_parameters, { uid, accid }) {
      const { total, conversations } = await stream.unread(uid, accid)
      return {
        total,
        conversations: conversations.map(({ peer, unread }) => ({ scene: peer.scene, with: named(peer), unread })),
      }
    },
    async history({ scene, with: other, before = Number.MAX_SAFE_INTEGER, limit }, { uid, accid }) {
      const found = await stream.history({
        uid,
        accid,
        ...peerOf(uid, accid, scene, other),
        before,
        ascending: false,
        recalled: true,
        limit: limit + 1,
      })
      return { events: found.slice(0, limit).map(({ frame }) => frame), more: found.length > limit }
    },
  }
}
