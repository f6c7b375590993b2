import { expect, it } from 'vitest'
import type { ComputedRef } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { spoken } from '../../format/languages.ts'
import { mounted, service, tallies, type MountOptions } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import { useBlockerText } from './blocked.ts'

const en = spoken(frameWords, 'en')
const zh = spoken(frameWords, 'zh')

const show = async (options: MountOptions = {}) => {
  let blockerText: ComputedRef<string | undefined> | undefined
  const part = {
    setup: () => {
      blockerText = useBlockerText()
      return () => null
    },
  }
  const shown = await mounted(part, options)
  return { ...shown, says: () => blockerText?.value }
}
const silent: AppEvent = {
  ...(tallies([], 'hosted-1') as Extract<AppEvent, { type: 'tallies' }>),
  fault: 'poll',
  failure: { kind: 'unreachable', code: null, skewSeconds: null, detail: '' },
}

it('says nothing while nothing hinders a change', async () => {
  const { says } = await show()
  expect(says()).toBeUndefined()
})

it.each([
  ['en', en.blocker],
  ['zh', zh.blocker],
] as const)('says that the service or the line to the app hinders a change, in %s', async (language, words) => {
  const { says, tell, lose } = await show({ language })
  await tell(service('restarting'))
  expect(says()).toBe(words.down)
  await lose()
  expect(says()).toBe(words.offline)
})

it('says that the host of a profile hinders a change, which the own service does not', async () => {
  const { says, tell } = await show({ profile: 'hosted-1' })
  await tell(service('restarting'))
  expect(says()).toBeUndefined()
  await tell(silent)
  expect(says()).toBe(en.blocker.host)
})
