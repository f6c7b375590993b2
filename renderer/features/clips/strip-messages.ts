/** A file for the worker; its place and length in the reel, in ms. */
export interface StripSource {
  readonly path: string
  readonly at: number
  readonly length: number
}

/** Bars of the wave over a range of the reel. */
export interface WantedBars {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** To the worker. Each `show` takes the place of the one before, whose rest is not made. */
export type StripAsked =
  | { readonly type: 'open'; readonly sources: readonly StripSource[] }
  | { readonly type: 'show'; readonly keys: readonly number[]; readonly bars: WantedBars | null }

/** What is known of the reel's media; times in ms of the reel, sorted. */
export interface StripIndex {
  readonly pictures: Float64Array
  readonly keys: Float64Array
  readonly width: number
  readonly height: number
  readonly sound: boolean
}

/** Loudness of each bar from 0 to 1, NaN where it is not measured; `measured`: ms of sound that a bar stands for. */
export interface StripBars extends WantedBars {
  readonly values: Float32Array
  readonly measured: number
}

/** From the worker. */
export type StripTold =
  | ({ readonly type: 'index' } & StripIndex)
  | { readonly type: 'tile'; readonly key: number; readonly picture: ImageBitmap }
  | ({ readonly type: 'bars' } & StripBars)
  /** What this browser cannot make of these files. */
  | { readonly type: 'none'; readonly what: 'index' | 'film' | 'wave' }
