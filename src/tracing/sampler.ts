// Which traces are kept, as OTEL_TRACES_SAMPLER says.
import type { Sampler } from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../environment.ts'
import type { TracingLibraries } from './load-tracing.ts'

type Samplers = Pick<
  TracingLibraries,
  'AlwaysOffSampler' | 'AlwaysOnSampler' | 'ParentBasedSampler' | 'TraceIdRatioBasedSampler'
>

export function makeSampler(
  { sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>,
  classes: Samplers
): Sampler {
  const kind = sampler.replace('parentbased_', '')
  const root =
    kind === 'always_on'
      ? new classes.AlwaysOnSampler()
      : kind === 'always_off'
        ? new classes.AlwaysOffSampler()
        : new classes.TraceIdRatioBasedSampler(ratio)
  return sampler.startsWith('parentbased_') ? new classes.ParentBasedSampler({ root }) : root
}
