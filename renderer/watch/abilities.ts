/** What the browser can play; `buffered`: both streams. */
export function abilities(video: HTMLVideoElement): 'buffered' | 'hls' | 'native' | 'none' {
  if ('MediaSource' in window) return 'buffered'
  if ('ManagedMediaSource' in window) return 'hls'
  return video.canPlayType('application/vnd.apple.mpegurl') === '' ? 'none' : 'native'
}

/** In s: distance from the newest picture on coming back to live, and beyond which that is offered. */
export const live = { flv: { back: 0.6, late: 4 }, hls: { back: 4, late: 15 } } as const

/** Seeks to the picture of now, at so many s from the newest one; not back. */
export function toNewest(video: HTMLVideoElement, back: number): void {
  const ranges = abilities(video) === 'native' ? video.seekable : video.buffered
  const newest = ranges.length === 0 ? 0 : ranges.end(ranges.length - 1) - back
  if (newest > video.currentTime) video.currentTime = newest
}
