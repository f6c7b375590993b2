import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

/** The measure that bench/api compares with: fastify as it comes, its own JSON parser, one prepared insert, an answer of the same size. */
const database = new DatabaseSync(process.argv[2] ?? ':memory:')
database.exec(
  'pragma journal_mode = wal; pragma synchronous = normal; create table channel (cid text primary key, name text not null, ctime integer not null, pushUrl text not null)',
)
const insert = database.prepare('insert into channel (cid, name, ctime, pushUrl) values (?, ?, ?, ?)')
const app = fastify({ logger: false })
let count = 0
app.post<{ Body: { name: string } }>('/create', (request, reply) => {
  const cid = (++count).toString(16).padStart(32, '0')
  const ctime = Date.now()
  const pushUrl = `rtmp://127.0.0.1:1935/live/${cid}?wsSecret=${cid}&wsTime=1800000000`
  insert.run(cid, request.body.name, ctime, pushUrl)
  const pull = `http://127.0.0.1:8711/live/${cid}`
  return reply.send({
    code: 200,
    ret: {
      cid,
      ctime,
      name: request.body.name,
      pushUrl,
      httpPullUrl: `${pull}.flv`,
      hlsPullUrl: `${pull}/playlist.m3u8`,
      rtmpPullUrl: `rtmp://127.0.0.1:1935/live/${cid}`,
    },
  })
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url: app.listeningOrigin })}\n`)
