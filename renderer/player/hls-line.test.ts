import type { HlsConfig, Loader, LoaderCallbacks, LoaderConfiguration, LoaderContext } from 'hls.js'
import { expect, it, vi } from 'vitest'
import { createHlsLine } from './hls-line.ts'

const sent = vi.fn<(url: string) => void>()

/** A loader whose answers are the test's. */
class FakeLoader implements Loader<LoaderContext> {
  context: LoaderContext | null = null
  stats = { loaded: 0 } as Loader<LoaderContext>['stats']
  load(context: LoaderContext): void {
    sent(context.url)
  }
  abort(): void {
    this.context = null
  }
  destroy(): void {
    this.context = null
  }
}

function rig() {
  sent.mockClear()
  const line = createHlsLine(FakeLoader, () => undefined)
  const load = <Context extends LoaderContext>(
    Kind: new (config: HlsConfig) => Loader<Context>,
    url: string,
  ): Loader<Context> => {
    const loader = new Kind({} as HlsConfig)
    loader.load({ url } as Context, {} as LoaderConfiguration, {} as LoaderCallbacks<Context>)
    return loader
  }
  return {
    line,
    segment: (url: string) => load(line.fLoader, url),
    playlist: (url: string) => load(line.pLoader, url),
    asked: () => sent.mock.calls.flat(),
  }
}

it('asks for the playlist at once while no segment is on its way', () => {
  const { segment, playlist, asked } = rig()
  playlist('list-1')
  segment('segment').destroy()
  playlist('list-2')
  expect(asked()).toEqual(['list-1', 'segment', 'list-2'])
})

it.each(['destroy', 'abort'] as const)('asks for the playlist only after the segment, that ends with %s', (end) => {
  const { segment, playlist, asked } = rig()
  const long = segment('long')
  playlist('list')
  const short = segment('short')
  short.destroy()
  expect(asked()).toEqual(['long', 'short'])
  long[end]()
  long.destroy()
  expect(asked()).toEqual(['long', 'short', 'list'])
})

it.each(['destroy', 'abort'] as const)('asks for no playlist that hls.js has given up with %s', (end) => {
  const { segment, playlist, asked } = rig()
  const loader = segment('segment')
  playlist('list')[end]()
  loader.destroy()
  expect(asked()).toEqual(['segment'])
})

it('tells how much of the newest segment has come', () => {
  const { line, segment } = rig()
  expect(line.arrived()).toBe(0)
  const loader = segment('segment')
  loader.stats.loaded = 5_000
  expect(line.arrived()).toBe(5_000)
})
