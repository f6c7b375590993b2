/** A process as the service is for its supervisor: ready, never answering, with a beat whose media rises or stands. */
let media = 0
const rising = process.argv[2] !== 'silent'
const at = (port: number): string => `http://127.0.0.1:${port}`
process.on('message', (message: { readonly type: string }) => {
  if (message.type === 'stop') process.exit(0)
  process.send!({
    type: 'ready',
    ready: {
      event: 'ready',
      appKey: 'k',
      baseUrl: at(1),
      imBaseUrl: at(1),
      mediaUrl: at(2),
      rtmpUrl: 'rtmp://127.0.0.1:3',
      linkUrl: 'ws://127.0.0.1:2/link',
    },
    notes: [],
  })
  const work = (): void => {
    // As a service under load: its loop turns, but seldom.
    for (const until = performance.now() + 100; performance.now() < until;);
    if (rising) process.send!({ type: 'beat', media: ++media })
    setImmediate(work)
  }
  work()
})
