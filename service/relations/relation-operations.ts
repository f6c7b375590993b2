import { friends as friendOperations, relations as operations } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Friends, FriendAction } from './friends.ts'
import { listKinds, type SpecialLists } from './special-lists.ts'

/** Handlers of friends, blacklist and mute list (2-messaging Friend relations, Blacklist and mute). */
export function relationOperations(options: {
  readonly accounts: Pick<Accounts, 'must'>
  readonly friends: Friends
  readonly lists: SpecialLists
}): Served[] {
  const { accounts, friends, lists } = options
  return [
    serve(friendOperations.add, async ({ accid, faccid, type, msg }, { application: { uid } }) => {
      await friends.act(uid, { accid, other: faccid, action: type as FriendAction, msg, clientType: 'REST' })
      return {}
    }),
    serve(friendOperations.update, async ({ accid, faccid, ...values }, { application: { uid } }) => {
      await friends.rename(uid, accid, faccid, values)
      return {}
    }),
    serve(friendOperations.remove, async ({ accid, faccid }, { application: { uid } }) => {
      await friends.act(uid, { accid, other: faccid, action: 5, clientType: 'REST' })
      return {}
    }),
    serve(friendOperations.get, ({ accid, createtime, updatetime }, { application: { uid } }) => {
      accounts.must(uid, accid)
      const since = createtime ?? updatetime ?? 0
      const found = friends.friendsOf(uid, accid).filter(({ changed }) => changed >= since)
      return {
        size: found.length,
        // Both sides begin and end together.
        friends: found.map(({ friend, changed, alias }) => ({
          faccid: friend,
          createtime: changed,
          bidirection: true,
          ...(alias !== '' && { alias }),
        })),
      }
    }),
    serve(operations.set, async ({ accid, targetAcc, relationType, value }, { application: { uid } }) => {
      await lists.setListed(uid, {
        accid,
        target: targetAcc,
        kind: relationType === 1 ? listKinds.blacklist : listKinds.mute,
        on: value === 1,
      })
      return {}
    }),
    serve(operations.list, ({ accid }, { application: { uid } }) => {
      accounts.must(uid, accid)
      return {
        mutelist: lists.listOf(uid, accid, listKinds.mute),
        blacklist: lists.listOf(uid, accid, listKinds.blacklist),
      }
    }),
  ]
}
