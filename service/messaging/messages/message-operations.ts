import { messages } from '../../../contract/operations/index.ts'
import { serve, type Served } from '../../http/dispatch.ts'
import { Refused } from '../../http/refusal.ts'
import type { RecallRequest } from './recall.ts'
import type { Sender } from './sender.ts'
import type { SenderAccounts } from './sources.ts'

const sceneOf = (number: number): 'p2p' | 'team' => (number === 0 ? 'p2p' : 'team')

/** The operations that send, and recall (2-messaging Messages and notifications). */
export function messageOperations({
  sender,
  recall,
  accounts,
}: {
  readonly sender: Sender
  readonly recall: (request: RecallRequest) => Promise<void>
  readonly accounts: SenderAccounts
}): Served[] {
  /** Sends one by one to those that are registered, and names the others in the order given. */
  const toEach = async (uid: number, from: string, accids: readonly string[], send: (to: string) => Promise<unknown>): Promise<{ unregister: string }> => {
    if (!accounts.find(uid, from)) throw new Refused(414, `${from} is not registered`)
    const once = [...new Set(accids)]
    await Promise.all(once.filter((accid) => accounts.find(uid, accid)).map(send))
    return { unregister: JSON.stringify(once.filter((accid) => !accounts.find(uid, accid))) }
  }

  return [
    serve(messages.send, async ({ ope, forcepushlist, forcepushcontent, forcepushall, ...rest }, { application: { uid } }) => {
      const forcePush = { all: forcepushall, accids: forcepushlist ?? [], content: forcepushcontent }
      return { data: await sender.send({ uid, clientType: 'REST', scene: sceneOf(ope), forcePush, ...rest }) }
    }),
    serve(messages.sendBatch, ({ fromAccid: from, toAccids, ...rest }, { application: { uid } }) =>
      toEach(uid, from, toAccids, (to) => sender.send({ uid, clientType: 'REST', scene: 'p2p', from, to, ...rest })),
    ),
    serve(messages.notify, async ({ msgtype, save, ...rest }, { application: { uid } }) => ({
      data: await sender.notify({ uid, clientType: 'REST', scene: sceneOf(msgtype), stored: save === 2, ...rest }),
    })),
    serve(messages.notifyBatch, ({ fromAccid: from, toAccids, save, ...rest }, { application: { uid } }) =>
      toEach(uid, from, toAccids, (to) => sender.notify({ uid, clientType: 'REST', scene: 'p2p', from, to, stored: save === 2, ...rest })),
    ),
    serve(messages.recall, async ({ deleteMsgid: msgid, timetag, type, from, to, msg }, { application: { uid } }) => {
      await recall({ uid, from, scene: type === 7 ? 'p2p' : 'team', to, msgid, timetag, msg })
      return {}
    }),
  ]
}
