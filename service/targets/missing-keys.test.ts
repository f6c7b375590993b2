import { afterEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let running: TestService
afterEach(() => running.close())

const url = 'rtmp://live.example.com/app'

it('after a restart it is known of each key that is not here why', async () => {
  running = await startService()
  const { cid } = (await running.call(live.create, { name: 'show' })).ret!
  const add = async (name: string, key?: string) =>
    (await running.call(local.addTarget, { cid, name, url, key })).ret!.targetId
  const change = (targetId: number, values: { url?: string; key?: string }) =>
    running.call(local.updateTarget, { cid, targetId, ...values })
  const why = async () =>
    (await running.call(local.targets, { cid })).ret!.list.map(({ name, hasKey, keyForgotten, keyGone }) =>
      [name, ...(hasKey ? ['here'] : []), ...(keyForgotten ? ['forgotten'] : []), ...(keyGone ? ['gone'] : [])].join(
        ' ',
      ),
    )
  await add('never')
  const kept = await add('kept', 'the-key-of-it')
  const later = await add('later')
  await change(later, { key: 'the-key-of-it' })
  const moved = await add('moved', 'the-key-of-it')
  await change(moved, { url: 'rtmp://other.example.com/app' })
  const again = await add('again', 'the-key-of-it')
  await change(again, { url: 'rtmp://other.example.com/app' })
  await change(again, { key: 'the-key-of-that' })
  await change(await add('empty'), { url: 'rtmp://other.example.com/app' })
  const before = ['never', 'kept here', 'later here', 'moved forgotten', 'again here', 'empty']
  expect(await why()).toEqual(before)
  await running.stop()
  running = await startService({ dataDir: running.dataDir })
  expect(await why()).toEqual(['never', 'kept gone', 'later gone', 'moved forgotten', 'again gone', 'empty'])
  // As the app does after each start of the service.
  for (const targetId of [kept, later]) await change(targetId, { key: 'the-key-of-it' })
  await change(again, { url })
  expect(await why()).toEqual(['never', 'kept here', 'later here', 'moved forgotten', 'again forgotten', 'empty'])
})
