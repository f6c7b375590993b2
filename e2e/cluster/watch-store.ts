import { createHash, randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { live, local, messages, recordings } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import { startEncoder } from '../encoder.ts'
import type { ApartNode } from './apart-cluster.ts'
import { apartPorts } from './apart-programs.ts'
import type { StartWatch } from './failure-watch.ts'

/** How long a recording may wait for a store that is back: it is tried again after a minute at most; in ms. */
const storedWithin = 70_000
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** What a node answers at an address that another one gave. */
async function readAt({ mediaUrl }: ApartNode, address: string): Promise<Buffer | undefined> {
  const answer = await fetch(mediaUrl + new URL(address).pathname, { redirect: 'manual' })
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined
}

/**
 * Uploads at all nodes, and a recording at the first one, which ends while the store is away. Acknowledged uploads are
 * read at each node afterwards; the recording waits on the disk of its node and is read at another one then.
 */
export const watchStore: StartWatch = async ({ nodes, folder, addressOf }) => {
  const [owner, other] = nodes as [ApartNode, ApartNode]
  const { cid, pushUrl } = (await owner.client.call(live.create, { name: 'recorded' })).ret!
  const record = { cid, needRecord: 1, format: 0, duration: 120, filename: 'kept' }
  await owner.client.call(recordings.setAlwaysRecord, record)
  const push = new URL(pushUrl)
  push.host = `${addressOf(owner.name)}:${apartPorts.rtmp}`
  const encoder = startEncoder(String(push))
  const faults: string[] = []
  const uploads: { readonly url: string; readonly hash: string }[] = []
  const codes = new Set<number>()
  let [refused, withoutAnswer, isOver] = [0, 0, false]
  const upload = async ({ client }: ApartNode): Promise<void> => {
    for (; !isOver; await wait(100)) {
      const bytes = randomBytes(20_000)
      const answer = await client
        .call(messages.upload, { content: bytes.toString('base64'), type: 'bin' })
        .catch(() => undefined)
      if (answer?.code === 200) uploads.push({ url: answer.url!, hash: hashOf(bytes) })
      else if (answer) {
        refused++
        codes.add(answer.code)
      } else withoutAnswer++
    }
  }
  const listed = async ({ client }: ApartNode) =>
    (await client.call(local.allRecordedFiles, { beginTime: 0, limit: 10 })).ret!.list
  const files = (): string[] => globSync('**/*.mp4', { cwd: path.join(folder, owner.name) })
  await until('there is something to record', () => (encoder.progress().at(-1)?.frames ?? 0) > 90)
  await until('it is recorded', () => files().length === 1)
  const uploading = Promise.all(nodes.map(upload))
  let ended = 0
  return {
    async during() {
      await until('uploads are refused', () => refused > 0)
      await encoder.stop()
      await until('the push has ended', async () => (await owner.client.call(live.state, { cid })).ret?.status === 0)
      await wait(3000)
      if (files().length !== 1) faults.push('the recording is not at its node')
      for (const node of nodes)
        if ((await listed(node)).length > 0) faults.push(`${node.name} lists a recording that is not stored`)
      ended = uploads.length
    },
    async after() {
      const from = performance.now()
      isOver = true
      await uploading
      if (uploads.length <= ended) faults.push('no upload was taken after it')
      if (withoutAnswer > 0) faults.push(`${withoutAnswer} uploads had no answer`)
      if ([...codes].some((code) => code !== 500)) faults.push(`uploads: codes ${[...codes].join(', ')}`)
      let unread = 0
      for (const { url, hash } of uploads)
        for (const node of nodes) {
          const bytes = await readAt(node, url)
          if (!bytes || hashOf(bytes) !== hash) unread++
        }
      if (unread > 0) faults.push(`${unread} acknowledged uploads cannot be read`)
      await until('the recording is stored', async () => (await listed(other)).length === 1, storedWithin)
      const stored = Math.round(performance.now() - from)
      await until('its file is not on the disk any more', () => files().length === 0)
      const { vid } = (await listed(other))[0]!
      const read: string[] = []
      for (const node of nodes) {
        const { url } = (await node.client.call(local.playbackTicket, { vid })).ret!
        const bytes = await readAt(node, url)
        if (!bytes || bytes.length < 100_000) faults.push(`${node.name} cannot read the recording`)
        else read.push(hashOf(bytes))
      }
      if (new Set(read).size > 1) faults.push('the recording is not the same at all nodes')
      return { faults, figures: { uploads: uploads.length, refusedUploads: refused, stored } }
    },
    async close() {
      isOver = true
      await encoder.stop('SIGKILL')
      await uploading
    },
  }
}
