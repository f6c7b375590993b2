import type { FragmentLoaderContext, HlsConfig, Loader, LoaderContext, PlaylistLoaderContext } from 'hls.js'

/** In s, of a playlist that says it: how long its segments are at most, and how often there is another one. */
const targetDuration = (text: unknown): number | undefined => {
  const found = typeof text === 'string' ? /^#EXT-X-TARGETDURATION:(\d+)\s*$/m.exec(text) : null
  return found ? Number(found[1]) : undefined
}

/** A kind of loader of hls.js. */
type LoaderOf<Context extends LoaderContext> = new (config: HlsConfig) => Loader<Context>
type LoadOf<Context extends LoaderContext> = Parameters<Loader<Context>['load']>

/**
 * Loaders of one playback, for a line on which a segment takes longer to come than to play. The playlist is asked for
 * again only between segments: told that the live edge is far away by now, hls.js would give up the segment that it
 * loads and begin another one, for ever. Where segments come in time, this changes nothing. `listed` is told the target
 * duration of each playlist, in s, before hls.js has it.
 */
export function createHlsLine(base: LoaderOf<LoaderContext>, listed: (targetDuration: number) => void) {
  const loading = new Set<Loader<FragmentLoaderContext>>()
  /** What each playlist that has to wait does then. */
  const waiting = new Map<Loader<PlaylistLoaderContext>, () => void>()
  let newest: { readonly loaded: number } | undefined

  const over = (loader: Loader<FragmentLoaderContext>): void => {
    loading.delete(loader)
    if (loading.size > 0) return
    const asks = [...waiting.values()]
    waiting.clear()
    for (const ask of asks) ask()
  }

  class SegmentLoader extends (base as LoaderOf<FragmentLoaderContext>) {
    override load(...given: LoadOf<FragmentLoaderContext>): void {
      loading.add(this)
      newest = this.stats
      super.load(...given)
    }
    override abort(): void {
      super.abort()
      over(this)
    }
    /** hls.js does this after each load, however it ended. */
    override destroy(): void {
      super.destroy()
      over(this)
    }
  }
  class PlaylistLoader extends (base as LoaderOf<PlaylistLoaderContext>) {
    override load(...[context, config, callbacks]: LoadOf<PlaylistLoaderContext>): void {
      const onSuccess: typeof callbacks.onSuccess = (response, ...more) => {
        const duration = targetDuration(response.data)
        if (duration !== undefined) listed(duration)
        callbacks.onSuccess(response, ...more)
      }
      const ask = (): void => super.load(context, config, { ...callbacks, onSuccess })
      if (loading.size === 0) ask()
      else waiting.set(this, ask)
    }
    override abort(): void {
      waiting.delete(this)
      super.abort()
    }
    override destroy(): void {
      waiting.delete(this)
      super.destroy()
    }
  }

  return {
    fLoader: SegmentLoader,
    pLoader: PlaylistLoader,
    /** Bytes of the newest segment that have come. */
    arrived: (): number => newest?.loaded ?? 0,
  }
}
