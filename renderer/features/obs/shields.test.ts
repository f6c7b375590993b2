import { createPinia, setActivePinia } from 'pinia'
import { expect, it } from 'vitest'
import { useShields } from './shields.ts'

it('keeps the window out of recordings while anything of it shows a secret', () => {
  setActivePinia(createPinia())
  const done: string[] = []
  const shell = { shield: () => done.push('shield'), unshield: () => done.push('unshield') } as unknown as NonNullable<
    Window['sidestage']
  >
  const shields = useShields()
  shields.set('key', false, shell)
  shields.set('key', true, shell)
  shields.set('token', true, shell)
  shields.set('key', false, shell)
  expect(done).toEqual(['shield'])
  shields.set('token', false, shell)
  shields.set('token', false, shell)
  expect(done).toEqual(['shield', 'unshield'])
  shields.set('key', true, undefined)
})
