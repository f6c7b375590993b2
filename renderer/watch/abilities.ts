/** What the browser can play; `buffered`: both streams. */
export function abilities(video: HTMLVideoElement): 'buffered' | 'hls' | 'native' | 'none' {
  if ('MediaSource' in window) return 'buffered'
  if ('ManagedMediaSource' in window) return 'hls'
  return video.canPlayType('application/vnd.apple.mpegurl') === '' ? 'none' : 'native'
}

/** In s: distance from the newest picture on coming back to live, and beyond which that is offered. */
export const live = { flv: { back: 0.6, late: 4 }, hls: { back: 4, late: 15 } } as const
