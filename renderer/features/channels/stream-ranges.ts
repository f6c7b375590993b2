/** What a push is at least, and at most between key frames: kbit/s, frames per second, s. */
export const streamRanges = { kbps: 300, fps: 14.5, keyFrameGap: 4.2 } as const
