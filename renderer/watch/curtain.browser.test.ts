import { afterEach, expect, it } from 'vitest'
import { createCurtain } from './curtain.ts'
import { say } from './words.ts'

afterEach(() => document.body.replaceChildren())

it('has a large Play where the browser waits for a tap, and is gone when there is nothing to say', () => {
  let plays = 0
  const { node, show } = createCurtain(() => (plays += 1))
  document.body.append(node)
  const big = node.querySelector<HTMLElement>('.big-play')!
  show({ text: say('playRefused'), refused: true, offer: false })
  expect([big.hidden, big.getAttribute('aria-label'), node.hidden]).toEqual([false, say('playNow'), false])
  big.click()
  expect(plays).toBe(1)
  node.querySelector<HTMLElement>('.cover')!.click()
  expect(plays).toBe(2)
  show({ text: '', refused: false, offer: false })
  node.click()
  expect(plays).toBe(2)
  expect([big.hidden, node.hidden]).toEqual([true, true])
  show({ text: '', refused: false, offer: true })
  expect(node.hidden).toBe(false)
})

it('has the time in minutes and in hours while it is held', () => {
  const { node, show } = createCurtain(() => undefined)
  const time = (heldFor: number): string => {
    show({ text: say('held'), note: say('heldNote'), heldFor, refused: false, offer: false })
    return node.querySelector('.held-time')!.textContent
  }
  expect([time(0), time(65.9), time(3725)]).toEqual(['for 0:00', 'for 1:05', 'for 1:02:05'])
  expect([node.dataset['kind'], node.querySelector('.cover-note')!.textContent]).toEqual(['held', say('heldNote')])
  const name = (): string | null => node.querySelector('.held-time')!.getAttribute('aria-label')
  expect(name()).toBe(say('held'))
  // Where a delay grows, it counts down to its end, and says beyond that it is near.
  const rest = (goesOnIn: number) => {
    show({ text: 'later', heldFor: 30, goesOnIn, refused: false, offer: false })
    const isHidden = node.querySelector<HTMLElement>('.held-clock')!.hidden as boolean
    return [node.querySelector('.held-time')!.textContent, isHidden] as const
  }
  expect([rest(65), rest(0)]).toEqual([
    ['goes on in 1:05', false],
    [say('goesOnSoon'), false],
  ])
  expect(name()).toBe('later')
  show({ text: 'else', refused: false, offer: false })
  expect([node.dataset['kind'], node.querySelector<HTMLElement>('.held-clock')!.hidden]).toEqual(['', true])
})
