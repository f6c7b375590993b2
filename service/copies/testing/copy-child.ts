import { messageCopy } from '../../../contract/callbacks/copy-builders.ts'
import { startRig } from '../../outbox/testing/rig.ts'

/**
 * A process to be killed: `node copy-child.ts DIR URL FIRST COUNT` queues COUNT copies of 7 conversations, ten per
 * transaction, and prints each number after its commit.
 */
const [dataDir, url, first, count] = process.argv.slice(2) as [string, string, string, string]
const { uid, copies, store } = await startRig({ dataDir })
if (copies.target(uid).url !== url) await copies.set(uid, { url, kinds: [1] })
process.stdout.write('ready\n')
for (let number = Number(first); number < Number(first) + Number(count); number += 10) {
  const numbers = Array.from({ length: 10 }, (_, index) => number + index)
  const copyOf = (msgid: number) =>
    messageCopy({
      to: `b${msgid % 7}`,
      from: 'a',
      clientType: 'REST',
      at: msgid,
      msgid,
      scene: 'p2p',
      type: 0,
      body: JSON.stringify({ msg: `第 ${msgid} 条` }),
    })
  await store.db.transaction().execute(async (transaction) => {
    await Promise.all(numbers.map((msgid) => copies.enqueue(transaction, uid, copyOf(msgid))))
  })
  process.stdout.write(`${numbers.join(' ')}\n`)
}
process.stdout.write('queued\n')
