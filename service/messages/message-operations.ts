import { messages } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { RecallRequest } from './recall.ts'
import type { Receipt, Sender } from './sender.ts'
import type { SenderAccounts } from './sources.ts'

const sceneOf = (number: number): 'p2p' | 'team' => (number === 0 ? 'p2p' : 'team')

/** Handlers of sending and recall (2-messaging Messages and notifications). */
export function messageOperations(options: {
  readonly sender: Sender
  readonly recall: (request: RecallRequest) => Promise<void>
  readonly accounts: SenderAccounts
}): Served[] {
  const { sender, recall, accounts } = options
  /** Sends to each registered account and returns the others, in order. */
  const toEach = async (
    uid: number,
    from: string,
    accids: readonly string[],
    send: (to: string) => Promise<Receipt>,
  ) => {
    if (!accounts.find(uid, from)) throw new Refused(414, `${from} is not registered`, 'missing')
    const once = [...new Set(accids)]
    const known = once.filter((accid) => accounts.find(uid, accid))
    const receipts = await Promise.all(known.map(send))
    return {
      unregister: JSON.stringify(once.filter((accid) => !accounts.find(uid, accid))),
      sent: known.map((accid, index) => [accid, receipts[index]!] as const),
    }
  }

  return [
    serve(
      messages.send,
      async ({ ope, forcepushlist, forcepushcontent, forcepushall, ...rest }, { application: { uid } }) => {
        const forcePush = { all: forcepushall, accids: forcepushlist ?? [], content: forcepushcontent }
        return { data: await sender.send({ uid, clientType: 'REST', scene: sceneOf(ope), forcePush, ...rest }) }
      },
    ),
    serve(messages.sendBatch, async ({ fromAccid: from, toAccids, returnMsgid, ...rest }, { application: { uid } }) => {
      const { unregister, sent } = await toEach(uid, from, toAccids, (to) =>
        sender.send({ uid, clientType: 'REST', scene: 'p2p', from, to, ...rest }),
      )
      if (!returnMsgid) return { unregister }
      const times = sent.map(([, { timetag }]) => timetag)
      return {
        unregister,
        msgids: Object.fromEntries(sent.map(([accid, { msgid }]) => [accid, msgid])),
        ...(times.length > 0 && { timetag: Math.max(...times) }),
      }
    }),
    serve(messages.notify, async ({ msgtype, save, ...rest }, { application: { uid } }) => ({
      data: await sender.notify({ uid, clientType: 'REST', scene: sceneOf(msgtype), stored: save === 2, ...rest }),
    })),
    serve(messages.notifyBatch, async ({ fromAccid: from, toAccids, save, ...rest }, { application: { uid } }) => {
      const one = { uid, clientType: 'REST', scene: 'p2p', from, stored: save === 2, ...rest } as const
      const { unregister } = await toEach(uid, from, toAccids, (to) => sender.notify({ ...one, to }))
      return { unregister }
    }),
    serve(
      messages.recall,
      async ({ deleteMsgid: msgid, timetag, type, from, to, msg, ignoreTime }, { application: { uid } }) => {
        await recall({
          uid,
          from,
          scene: type === 7 ? 'p2p' : 'team',
          to,
          msgid,
          timetag,
          msg,
          anyAge: ignoreTime === 1,
        })
        return {}
      },
    ),
  ]
}
