import type { DropdownMenuItem } from '@nuxt/ui'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { shallowRef } from 'vue'
import { useAfterMenu } from './after-menu.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function stage() {
  const told: string[] = []
  const given = shallowRef<readonly (readonly DropdownMenuItem[])[]>([
    [
      { label: 'Open', icon: 'i-lucide-x', onSelect: () => told.push('open') },
      { label: 'Title', type: 'label' },
    ],
    [{ label: 'Delete', onSelect: () => told.push('delete') }],
  ])
  const menu = useAfterMenu(() => given.value)
  const choose = (label: string): void => {
    const item = menu.items.value.flat().find((each) => each.label === label)
    item?.onSelect?.(new Event('select'))
  }
  return { told, given, menu, choose }
}

it('keeps what items are besides, and has no choice where there was none', () => {
  const { menu, given } = stage()
  expect(menu.items.value).toMatchObject([
    [
      { label: 'Open', icon: 'i-lucide-x' },
      { label: 'Title', type: 'label' },
    ],
    [{ label: 'Delete' }],
  ])
  expect(Object.keys(menu.items.value[0]![1]!)).not.toContain('onSelect')
  given.value = [[{ label: 'Other' }]]
  expect(menu.items.value).toEqual([[{ label: 'Other' }]])
})

it('does what was chosen only after the menu has moved the focus, and once', () => {
  const { told, menu, choose } = stage()
  choose('Open')
  expect(told).toEqual([])
  menu.onCloseAutoFocus()
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual(['open'])
  vi.advanceTimersByTime(5_000)
  menu.onCloseAutoFocus()
  vi.advanceTimersByTime(5_000)
  expect(told).toEqual(['open'])
})

it('does what was chosen a second later where the menu does not say that it closed', () => {
  const { told, choose } = stage()
  choose('Delete')
  vi.advanceTimersByTime(999)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual(['delete'])
})

it('does only what was chosen last', () => {
  const { told, choose } = stage()
  choose('Open')
  vi.advanceTimersByTime(600)
  choose('Delete')
  vi.advanceTimersByTime(999)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual(['delete'])
})
