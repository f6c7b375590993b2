import type { ConversationCopy } from '../../../contract/callbacks/copy.ts'
import type { SenderOptions } from '../sender.ts'
import { createRecall, type RecallRequest } from '../recall.ts'
import { createSender, type OutgoingMessage, type OutgoingNotification, type Sender } from '../sender.ts'
import { startStream, type StreamRig } from '../../stream/testing/rig.ts'

/** A sender with its own stream, and lists that a test fills. */
export interface SenderRig extends StreamRig {
  readonly sender: Sender
  readonly recall: (request: RecallRequest) => Promise<void>
  /** Names of accounts. */
  readonly names: Map<string, string>
  /** `owner other`. */
  readonly blacklisted: Set<string>
  readonly quieted: Set<string>
  /** Members of teams by tid, with the seq from which each reads. */
  readonly members: Map<number, Map<string, { since: number }>>
  /** Members that may not speak. */
  readonly muted: Set<string>
  readonly words: Set<string>
  readonly copies: ConversationCopy[]
  /** Whether copies are active. */
  readonly copying: { on: boolean }
}

/** A text from ann to bob; `more` replaces defaults. */
export const outgoing = (more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  uid: 1,
  from: 'ann',
  clientType: 'REST',
  scene: 'p2p',
  to: 'bob',
  type: 0,
  body: '{"msg":"hello"}',
  ...more,
})
/** A notification from ann to bob; `more` replaces defaults. */
export const outgoingNotification = (more: Partial<OutgoingNotification> = {}): OutgoingNotification => ({
  uid: 1,
  from: 'ann',
  clientType: 'REST',
  scene: 'p2p',
  to: 'bob',
  attach: '{"k":1}',
  stored: true,
  ...more,
})

/** Starts a sender with accounts ann, bob and eve; ann and bob are in team 7. */
export async function startSender(): Promise<SenderRig> {
  const stream = await startStream()
  const names = new Map([
    ['ann', 'Ann'],
    ['bob', ''],
    ['eve', 'Eve'],
  ])
  const teamMembers = new Map([
    ['ann', { since: 1 }],
    ['bob', { since: 1 }],
  ])
  const members: SenderRig['members'] = new Map([[7, teamMembers]])
  for (const accid of ['ann', 'bob']) stream.teams.set(accid, [{ tid: 7, since: 1 }])
  const [blacklisted, quieted, muted, words] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ]
  const copies: ConversationCopy[] = []
  const copying = { on: true }
  const options: SenderOptions = {
    stream: { publish: (event) => stream.stream.publish(event) },
    accounts: { find: (_uid, accid) => (names.has(accid) ? { name: names.get(accid)! } : undefined) },
    relations: {
      hasBlacklisted: (_uid, owner, other) => blacklisted.has(`${owner} ${other}`),
      hasQuieted: (_uid, owner, other) => quieted.has(`${owner} ${other}`),
    },
    teams: {
      find(_uid, tid) {
        const found = members.get(Number(tid))
        return found && { row: { tid: Number(tid) }, members: found }
      },
      maySpeak: (team, accid) => team.members.has(accid) && !muted.has(accid),
    },
    copies: {
      wants: () => copying.on,
      async enqueue(_transaction, _uid, copy) {
        copies.push(copy)
      },
    },
    words: { catches: (_uid, text) => [...words].some((word) => text.includes(word)) },
  }
  const recall = createRecall({
    stream: { publish: options.stream.publish, find: (uid, seq) => stream.stream.find(uid, seq) },
    teams: options.teams,
    clock: stream.clock,
    minutes: () => 2,
  })
  return Object.assign(stream, {
    sender: createSender(options),
    recall,
    names,
    blacklisted,
    quieted,
    members,
    muted,
    words,
    copies,
    copying,
  })
}
