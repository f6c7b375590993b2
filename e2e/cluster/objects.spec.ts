import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'playwright/test'
import { live, local, messages, recordings } from '../../contract/operations/index.ts'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { probePackets } from '../../service/hub/testing/fixture.ts'
import { startEncoder } from '../encoder.ts'
import { clusterFolder, startCluster, type RunningCluster, type RunningNode } from './running-cluster.ts'

/** Three nodes with one object store: what one of them receives or records is read by the others, and stays with it. */
test.skip(missingPackages().length > 0, `not installed: ${missingPackages().join(', ')}`)
test.describe.configure({ mode: 'serial' })

let cluster: RunningCluster
let folder: ReturnType<typeof clusterFolder>
test.beforeAll(async () => {
  folder = clusterFolder()
  cluster = await startCluster(folder.path, 3)
})
test.afterAll(async () => {
  await cluster?.command.stop()
  folder?.remove()
})

/** What a node itself, not the proxy, answers at an address. */
const readAt = async ({ linkUrl }: RunningNode, address: string): Promise<Buffer> => {
  const { pathname } = new URL(address)
  const answer = await fetch(`${new URL(linkUrl.replace(/^ws/, 'http')).origin}${pathname}`, { redirect: 'manual' })
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : Buffer.from(String(answer.status))
}
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
/** The lengths of recordings vary with the machine; that they end is waited for. */
const slowly = { timeout: 60_000, intervals: [200] }
const listed = async ({ client }: RunningNode) =>
  (await client.call(local.allRecordedFiles, { beginTime: 0, limit: 10 })).ret!.list
/** The file of a recording, read with a ticket at a node; its packets as ffprobe reads them. */
async function packetsAt(node: RunningNode, vid: number) {
  const { url } = (await node.client.call(local.playbackTicket, { vid })).ret!
  const file = path.join(folder.path, `${vid}.mp4`)
  const bytes = await readAt(node, url)
  writeFileSync(file, bytes)
  return { bytes, packets: await probePackets(file) }
}

test('an upload at one node is read at each of the others', async () => {
  const bytes = randomBytes(300_000)
  const content = bytes.toString('base64')
  const { code, url } = await cluster.nodes[0]!.client.call(messages.upload, { content, type: 'bin' })
  expect(code).toBe(200)
  for (const node of cluster.nodes) expect(hashOf(await readAt(node, url!))).toBe(hashOf(bytes))
})

test('a recording whose node is killed while it records is read at another node, and merged at a third', async () => {
  test.setTimeout(240_000)
  const { cid, pushUrl, hlsPullUrl } = (await cluster.client.call(live.create, { name: 'recorded' })).ret!
  const record = { cid, needRecord: 1, format: 0, duration: 120, filename: 'kept' }
  expect((await cluster.client.call(recordings.setAlwaysRecord, record)).code).toBe(200)
  const encoder = startEncoder(pushUrl)
  const isOwner = async (node: RunningNode): Promise<boolean> =>
    (await readAt(node, hlsPullUrl)).toString().includes('#EXTINF')
  let owner: RunningNode | undefined
  try {
    await expect
      .poll(async () => {
        for (const node of cluster.nodes) if (await isOwner(node)) owner = node
        return owner !== undefined
      }, slowly)
      .toBe(true)
    // Some seconds of it.
    await expect.poll(() => encoder.progress().at(-1)?.frames ?? 0, slowly).toBeGreaterThan(150)
    const replaced = owner!.replace('SIGKILL')
    await encoder.exited
    await replaced
  } finally {
    await encoder.stop('SIGKILL')
  }
  const [second, third] = cluster.nodes.filter((node) => node !== owner) as [RunningNode, RunningNode]
  await expect.poll(async () => (await listed(second)).length, slowly).toBe(1)
  const { vid, duration } = (await listed(second))[0]!
  const { bytes, packets } = await packetsAt(second, vid)
  expect(packets.filter(({ codec_type }) => codec_type === 'video').length).toBeGreaterThan(100)
  expect(hashOf((await packetsAt(third, vid)).bytes)).toBe(hashOf(bytes))

  const vidList = [vid, vid]
  expect((await third.client.call(recordings.merge, { outputName: 'twice', vidList })).code).toBe(200)
  const done = async (): Promise<string | undefined> =>
    (await second.client.call(local.mergeTasks, {})).ret!.list[0]?.state
  await expect.poll(done, slowly).toBe('done')
  const merged = (await listed(second)).find((file) => file.vid !== vid)!
  expect(Math.abs(merged.duration - 2 * duration)).toBeLessThan(500)
  const twice = await packetsAt(second, merged.vid)
  expect(twice.packets.length).toBe(2 * packets.length)
})
