import { expect, it } from 'vitest'
import { readActionFile } from './action-file.ts'
import type { Services } from '../../data/services.ts'

it('puts the parts of a log together in their order, and says what the log has no more', async () => {
  const asked: unknown[] = []
  const parts = [
    { text: 'first,', next: 30, dropped: null },
    { text: 'second,', next: 7, dropped: null },
    { text: 'third', next: null, dropped: { entries: 4, until: 5 } },
  ]
  const exportActions = (input: unknown) => {
    asked.push(input)
    return Promise.resolve({ name: 'room-1-actions.csv', ...parts[asked.length - 1]! })
  }
  const file = await readActionFile(
    { rooms: { exportActions } } as unknown as Services['rpc'],
    { profileId: 'local', roomid: 1 },
    'csv',
  )
  expect(await file.content.text()).toBe('first,second,third')
  expect(file).toMatchObject({
    name: 'room-1-actions.csv',
    dropped: { entries: 4, until: 5 },
    content: { type: 'text/csv' },
  })
  const call = { profileId: 'local', roomid: 1, format: 'csv' }
  expect(asked).toEqual([call, { ...call, before: 30 }, { ...call, before: 7 }])
})
