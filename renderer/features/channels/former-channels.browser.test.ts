import { expect, it } from 'vitest'
import type { DeletedChannel } from '../../../contract/rpc/index.ts'
import { useCompanion } from '../../data/companion.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, channel, mounted, settled, type MountOptions } from '../../testing/mounted.ts'
import { useFormerChannels } from './former-channels.ts'

const gone: DeletedChannel = { cid: channel(9).cid, name: 'Gone', deleted: began }
const show = async (options: MountOptions = {}) => {
  let former: ReturnType<typeof useFormerChannels> | undefined
  const part = {
    setup: () => {
      former = useFormerChannels()
      return () => null
    },
  }
  const shown = await mounted(part, {
    ...options,
    answers: { 'recordings.deletedChannels': () => [gone], ...options.answers },
  })
  return { ...shown, former: former! }
}

it('lists deleted channels that have files, and reads them again when files were deleted', async () => {
  const { former, client, tell } = await show()
  await expect.poll(() => former.list.value.map(({ name }) => name)).toEqual(['Gone'])
  const read = client.inputs('recordings.deletedChannels').length
  expect(client.inputs('recordings.deletedChannels')[0]).toEqual({ profileId: 'local' })
  client.answer({ 'recordings.deletedChannels': () => [] })
  await tell({ type: 'unrecorded', profileId: 'local', vids: [1] })
  await expect.poll(() => former.list.value).toEqual([])
  expect(client.inputs('recordings.deletedChannels').length).toBe(read + 1)
})

it('asks no hosted service for them', async () => {
  const { former, client } = await show({ profile: 'hosted-1' })
  expect([client.inputs('recordings.deletedChannels'), former.list.value]).toEqual([[], []])
})

it('knows none while the line to the app is lost, and reads them when it is back', async () => {
  const { former, lose, pinia } = await show()
  await expect.poll(() => former.list.value.length).toBe(1)
  await lose()
  expect(former.list.value).toEqual([])
  useCompanion(pinia).lineIs('open')
  await expect.poll(() => former.list.value.length).toBe(1)
})

it('says why they could not be read', async () => {
  const { former } = await show({
    answers: {
      'recordings.deletedChannels': () => {
        throw failed({ kind: 'late' })
      },
    },
  })
  await settled()
  expect([former.failure.value?.kind, former.list.value]).toEqual(['late', []])
})
