import { expect, it } from 'vitest'
import { createLowDelay } from './low-delay.ts'

/** A choice whose time and looks are the test's. */
function rig(random = 0) {
  const waiting: { readonly milliseconds: number; readonly action: () => void }[] = []
  const used: string[] = []
  const looks: ((plays: boolean | Promise<boolean>) => void)[] = []
  const choice = createLowDelay({
    after(milliseconds, action) {
      const entry = { milliseconds, action }
      waiting.push(entry)
      return () => {
        const at = waiting.indexOf(entry)
        if (at >= 0) waiting.splice(at, 1)
      }
    },
    random: () => random,
    look: () => new Promise((resolve) => looks.push(resolve)),
    use: (kind) => used.push(kind),
  })
  const pass = (): number => {
    const next = waiting.shift()
    if (!next) throw new Error('nothing waits')
    next.action()
    return next.milliseconds
  }
  const answer = async (plays: boolean | Promise<boolean>): Promise<void> => {
    looks.shift()?.(plays)
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  const fall = (): void => {
    choice.broke()
    choice.broke()
  }
  return { choice, waiting, used, looks, pass, answer, fall }
}

it('takes HLS when low delay broke twice in a row, and not after one break', () => {
  const { choice, used } = rig()
  choice.broke()
  choice.playing()
  choice.broke()
  expect([choice.kind, used]).toEqual(['flv', []])
  choice.broke()
  expect([choice.kind, used]).toEqual(['hls', ['hls']])
})

it('goes back to low delay when a look shows that it plays, with growing waits that end at a minute', async () => {
  const { choice, used, waiting, pass, answer, fall } = rig()
  fall()
  choice.playing()
  const waits: number[] = []
  for (let look = 0; look < 6; look += 1) {
    waits.push(pass())
    await answer(false)
  }
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
  expect(used).toEqual(['hls'])
  pass()
  await answer(true)
  expect([choice.kind, used, waiting.length]).toEqual(['flv', ['hls', 'flv'], 0])
})

it('waits longer when low delay breaks again at once, and begins anew when it has held', async () => {
  const { choice, pass, answer, fall } = rig()
  fall()
  expect(pass()).toBe(5_000)
  await answer(true)
  choice.playing()
  fall()
  expect(pass()).toBe(10_000)
  await answer(true)
  choice.playing()
  expect(pass()).toBe(30_000)
  fall()
  expect(pass()).toBe(5_000)
})

it('takes low delay at once when the publisher changes, and hears no older look', async () => {
  const { choice, used, waiting, pass, answer, fall } = rig()
  fall()
  pass()
  choice.renew()
  expect([choice.kind, used, waiting.length]).toEqual(['flv', ['hls', 'flv'], 0])
  fall()
  await answer(true)
  expect(choice.kind).toBe('hls')
  expect(pass()).toBe(5_000)
})

it('takes HLS on a line that is too slow, and looks again after a minute each time', async () => {
  const { choice, used, pass, answer } = rig()
  choice.tooSlow()
  choice.tooSlow()
  expect([choice.kind, used]).toEqual(['hls', ['hls']])
  expect(pass()).toBe(60_000)
  await answer(true)
  choice.playing()
  choice.tooSlow()
  expect([choice.kind, pass()]).toEqual(['hls', 60_000])
})

it('looks a minute after HLS too had to wait on a line that is too slow, and hears no look of before', async () => {
  const { choice, used, waiting, looks, pass, answer } = rig()
  choice.tooSlow()
  const [first] = waiting
  choice.playing()
  expect([waiting.length, waiting[0] === first, waiting[0]?.milliseconds]).toEqual([1, false, 60_000])
  pass()
  choice.playing()
  await answer(true)
  expect([choice.kind, looks.length, waiting.length]).toEqual(['hls', 0, 1])
  expect(pass()).toBe(60_000)
  await answer(true)
  expect([used, waiting.length]).toEqual([['hls', 'flv'], 0])
  choice.playing()
  expect(waiting.map(({ milliseconds }) => milliseconds)).toEqual([30_000])
})

it('spreads its looks over a quarter of their wait', () => {
  const { fall, pass } = rig(1)
  fall()
  expect(pass()).toBe(6_250)
})

it('looks later where a look failed', async () => {
  const { choice, fall, pass, answer } = rig()
  fall()
  pass()
  await answer(Promise.reject(new Error('no answer')))
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  expect([choice.kind, pass()]).toEqual(['hls', 10_000])
})

it('counts no break of HLS, and takes low delay back by its looks alone', () => {
  const { choice, used, waiting, fall } = rig()
  fall()
  choice.broke()
  choice.broke()
  choice.playing()
  expect([choice.kind, used, waiting.map(({ milliseconds }) => milliseconds)]).toEqual(['hls', ['hls'], [5_000]])
})

it('begins its waits anew only where low delay has held without a break', async () => {
  const { choice, waiting, pass, answer, fall } = rig()
  fall()
  pass()
  await answer(true)
  choice.playing()
  choice.broke()
  // The wait that would forget the break before is over.
  expect(waiting).toEqual([])
  choice.broke()
  expect(pass()).toBe(10_000)
})

it('begins with low delay, and uses nothing before it breaks', () => {
  const { choice, used, waiting } = rig()
  choice.playing()
  choice.renew()
  expect([choice.kind, used, waiting.length]).toEqual(['flv', [], 0])
})

it('stays with HLS for a viewer who prefers it, over breaks and pushes, until they do not', () => {
  const { choice, used, waiting } = rig()
  choice.steady(true)
  choice.broke()
  choice.broke()
  choice.renew()
  expect([choice.kind, used, waiting.length]).toEqual(['hls', ['hls'], 0])
  choice.steady(false)
  expect([choice.kind, used]).toEqual(['flv', ['hls', 'flv']])
})

it('takes HLS while other players have all of it, and low delay once there is room, without a look', () => {
  const { choice, used, waiting } = rig()
  choice.crowded()
  expect([choice.kind, choice.isCrowded, used, waiting.length]).toEqual(['hls', true, ['hls'], 0])
  choice.roomy()
  expect([choice.kind, choice.isCrowded, used]).toEqual(['flv', false, ['hls', 'flv']])
  choice.roomy()
  expect(used).toEqual(['hls', 'flv'])
})

it('takes no low delay where there is room, for a viewer who prefers HLS meanwhile or where it broke', () => {
  const { choice, used, fall } = rig()
  choice.crowded()
  choice.steady(true)
  choice.roomy()
  choice.steady(false)
  fall()
  choice.roomy()
  expect([choice.kind, used]).toEqual(['hls', ['hls', 'flv', 'hls']])
})
