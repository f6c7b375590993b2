import { expect, it } from 'vitest'
import { events, type EventType } from '../../contract/rpc/events.ts'
import { scratch, startRig, until } from '../testing/rig.ts'

it("tells the desktop's line its own events and no others", async () => {
  using folder = scratch()
  const rig = await startRig(folder.dir)
  const heard: EventType[] = []
  const follow = async (): Promise<void> => {
    for await (const { type } of await rig.page.rpc.app.events({ audience: 'desktop' })) heard.push(type)
  }
  follow().catch(() => undefined)
  const told: readonly EventType[] = ['computer', 'obs', 'download']
  await until('what pages are told first', () => told.every((type) => rig.page.newest(type)))
  await rig.page.rpc.app.open({ cid: 'c' })
  await until('the channel that was opened', () => heard.includes('opened'))
  expect(heard).toContain('settings')
  for (const type of heard) expect(events[type].audience, type).toContain('desktop')
  await rig.close()
})
