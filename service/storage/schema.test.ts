import { expect, it } from 'vitest'
import { messagingSettings } from './schema.ts'

it('messaging of a new application has these settings', () => {
  expect(messagingSettings).toEqual({
    callsPerMinute: 0,
    blockSeconds: 10,
    recallMinutes: 2,
    historyDays: 30,
    roamingDays: 7,
    offlineDays: 7,
    teamSize: 200,
    teamsPerOwner: 100,
    roomsPerCreator: 1000,
    roomAdmins: 100,
    roomLimited: 10_000,
    roomRobots: 1000,
    roomNotices: 500,
  })
})
