import { expect, it } from 'vitest'
import { createTargetLog } from './target-log.ts'
import type { TargetProgress } from './target.ts'

it('only of a target that got something the log says that it gets nothing more', () => {
  const lines: string[] = []
  const line = (_details: object, message: string): void => void lines.push(message)
  const log = createTargetLog({ info: line, warn: line })
  const target = { cid: 'a', targetId: 1, url: 'rtmp://a.example/app' }
  const become = (...states: TargetProgress['state'][]): string => {
    for (const state of states) log.changed(target, { state, dropped: 0 } as TargetProgress)
    return lines.at(-1)!
  }
  const over = 'a target gets nothing more: the push ended, or the target was changed'
  const never = 'the push ended, or the target was changed, before a target got it'
  expect(become('connecting', 'retrying', 'off')).toBe(never)
  expect(become('connecting', 'sending', 'retrying', 'off')).toBe(over)
  // Each push anew.
  expect(become('noKey', 'off')).toBe(never)
  expect(become('sending', 'stopped', 'off')).toBe(over)
  become('sending')
  log.forget(1)
  expect(become('refused', 'off')).toBe(never)
})
