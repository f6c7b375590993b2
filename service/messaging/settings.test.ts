import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Field } from '../../contract/field.ts'
import { local } from '../../contract/operations/index.ts'
import { messagingSettings } from '../storage/schema.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const names = Object.keys(messagingSettings) as (keyof typeof messagingSettings)[]
const boundsOf = (name: string) =>
  (local.updateSettings.parameters as Record<string, Field>)[name] as Field & { kind: 'integer' }
const read = async (client: Pick<TestService, 'call'> = service) =>
  (await client.call(local.settings, {})).ret as Record<string, unknown>

describe('the settings of messaging', () => {
  it('are what the decisions say until somebody changes them', async () => {
    expect(await read()).toMatchObject({
      callsPerMinute: 0,
      blockSeconds: 10,
      recallMinutes: 2,
      historyDays: 30,
      roamingDays: 7,
      offlineDays: 7,
      teamSize: 200,
      teamsPerOwner: 100,
    })
  })

  it.each(names)('%s stays within its bounds, for its application alone', async (name) => {
    const { min, max } = boundsOf(name)
    for (const value of [min!, max!])
      expect((await service.call(local.updateSettings, { [name]: value })).ret).toMatchObject({ [name]: value })
    for (const value of [min! - 1, max! + 1, 'x', 1.5])
      expect([value, (await service.send(local.updateSettings, { [name]: value })).code]).toEqual([value, 631])
    expect((await read())[name]).toBe(max)
    expect((await read(service.other))[name]).toBe(messagingSettings[name])
    await service.call(local.updateSettings, { [name]: messagingSettings[name] })
  })

  it('are kept over a restart', async () => {
    const changed = {
      callsPerMinute: 1000,
      blockSeconds: 0,
      recallMinutes: 7,
      historyDays: 90,
      roamingDays: 1,
      offlineDays: 0,
      teamSize: 2,
      teamsPerOwner: 3,
    }
    await service.call(local.updateSettings, changed)
    await service.stop()
    service = await startService({ dataDir: service.dataDir })
    expect(await read()).toMatchObject(changed)
  })
})
