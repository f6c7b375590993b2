import { accounts, chatrooms, friends, live, messages } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import { signInPerson } from '../link-person.ts'
import type { RunningCluster, RunningNode } from './running-cluster.ts'
import { toldCalls, type CallFaults } from './told-calls.ts'

/** How long something that was done at a node may take to be at another, in ms. */
const soon = 10_000

/**
 * What is done at one node of each pair is there at the other: entries of the journal (accounts, friends, rooms,
 * channels), events (messages) and the bus (lines of a room). Rejects with what was not.
 */
export async function tryPairs(cluster: RunningCluster, mark: string, faults: CallFaults): Promise<number> {
  const { ready } = cluster
  const ofNode = new Map(cluster.nodes.map((node) => [node.name, toldCalls(node.client, faults)]))
  const reader = (node: RunningNode): string => `reader-${mark}-${node.name}`
  const token = 'token-of-a-reader'
  for (const node of cluster.nodes) await ofNode.get(node.name)!.call(accounts.create, { accid: reader(node), token })
  const readers = cluster.nodes.map((node) => ({
    node,
    person: signInPerson({ ...ready, linkUrl: node.linkUrl }, reader(node), token),
  }))
  let pairs = 0
  try {
    await until('readers are online', () => readers.every(({ person }) => person.online()), soon)
    for (const writer of cluster.nodes) {
      const { call } = ofNode.get(writer.name)!
      const accid = `writer-${mark}-${writer.name}`
      await call(accounts.create, { accid, name: accid })
      // No more than letters and digits.
      const title = accid.replaceAll('-', '')
      const { roomid } = (await call(chatrooms.create, { creator: accid, name: accid })).chatroom!
      const { cid } = (await call(live.create, { name: title })).ret!
      for (const { node, person } of readers) {
        if (node.name === writer.name) continue
        const told = ofNode.get(node.name)!
        const what = `${writer.name} to ${node.name} (${mark})`
        await call(friends.add, { accid, faccid: reader(node), type: 1 })
        await until(
          `a channel, an account and a friend: ${what}`,
          async () =>
            (await told.call(live.state, { cid }, [404])).ret?.name === title &&
            (await told.call(accounts.getUinfos, { accids: [accid] }, [414])).uinfos?.[0]?.name === accid &&
            (await told.call(friends.get, { accid: reader(node) })).friends?.some((each) => each.faccid === accid),
          soon,
        )
        await person.request('roomEnter', { roomid })
        await call(chatrooms.sendMsg, {
          roomid,
          fromAccid: accid,
          msgId: `${accid}-${node.name}`,
          msgType: 0,
          attach: what,
        })
        const body = JSON.stringify({ msg: what })
        await call(messages.send, { from: accid, ope: 0, to: reader(node), type: 0, body })
        await until(
          `a line and a message: ${what}`,
          () => person.texts().includes(what) && person.of('roomMessage').some(({ attach }) => attach === what),
          soon,
        )
        pairs++
      }
    }
  } finally {
    for (const { person } of readers) person.close()
  }
  return pairs
}
