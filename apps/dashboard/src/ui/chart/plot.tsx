import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useFormat } from '../i18n/format';
import type { ChartProps } from './periods';
import classes from './plot.module.css';

const INK = { light: '#51606e', dark: '#a6b2be' };
const LINE = { light: '#e4e8ec', dark: '#2c333a' };
const BARS = { light: '#0b7285', dark: '#3eaebf' };
const AXIS_WIDTH = 70;

/** Draws with uPlot. Only a changed figure, size or language draws again. */
export default function Plot({ times, values, label, height = 200 }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const format = useFormat();
  const scheme = useComputedColorScheme('light');
  const key = `${times.join()}|${values.join()}`;
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const axis = { stroke: INK[scheme], grid: { stroke: LINE[scheme], width: 1 }, ticks: { show: false } };
    const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
    const isHourly = times.length > 1 && (times[1] ?? 0) - (times[0] ?? 0) < 86_400;
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: { y: { range: (_, __, max) => [0, Math.max(max, 1) * 1.1] } },
        axes: [
          {
            ...axis,
            values: (_, ticks) =>
              ticks.map((tick) => (isHourly ? format.time(tick * 1000).slice(0, 5) : format.dayMonth(tick * 1000))),
          },
          { ...axis, size: AXIS_WIDTH, values: (_, ticks) => ticks.map((tick) => format.bytes(tick)) },
        ],
        series: [
          {},
          { fill: BARS[scheme], stroke: BARS[scheme], width: 0, points: { show: false }, ...(bars && { paths: bars }) },
        ],
      },
      [[...times], [...values]],
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [key, scheme, format, height]);
  const sum = values.reduce((total, value) => total + value, 0);
  return (
    <div ref={frame} className={classes.plot} dir="ltr" role="img" aria-label={`${label}: ${format.bytes(sum)}`} />
  );
}
